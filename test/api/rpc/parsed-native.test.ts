import type * as web3 from '@solana/web3.js';
import { expect, it } from 'vitest';
import {
  LOOKUP_TABLE_PROGRAM as LOOKUP,
  SYSTEM_PROGRAM as SYSTEM,
  SYSVAR_OWNER,
  UPGRADEABLE_LOADER,
} from '../../../src/chain/solana/addresses.js';
import { KEYS, account, bytes, u32 } from './parsed-support.js';

const { A, B, D, E, a, b, d, e } = KEYS;

it('parsed nonce accounts exist for initialized ones only', () => {
  const nonce = (version: number, state: number): Uint8Array => bytes(u32(version), u32(state), A, B, 5000n);
  const info = { authority: a, blockhash: b, feeCalculator: { lamportsPerSignature: '5000' } };
  const parsed = { type: 'initialized', info };
  for (const version of [0, 1])
    expect(account(SYSTEM, nonce(version, 1))).toEqual({ program: 'nonce', parsed, space: 80 });
  for (const data of [bytes(), new Uint8Array(80), nonce(2, 1), nonce(1, 1).subarray(0, 79)])
    expect(account(SYSTEM, data)).toBeNull();
  for (const name of ['Stake', 'Vote', 'Config'])
    expect(account(name.padEnd(43, '1'), new Uint8Array(200))).toBeNull();
});

it('parsed address lookup tables have an authority unless frozen', () => {
  const header = (...authority: [0] | [1, web3.PublicKey]): Uint8Array =>
    bytes(u32(1), 2n ** 64n - 1n, 7n, 3, ...authority, new Uint8Array(authority[0] === 0 ? 34 : 2));
  const slots = { deactivationSlot: '18446744073709551615', lastExtendedSlot: '7' };
  const info = { ...slots, lastExtendedSlotStartIndex: 3, addresses: [d, e] };
  const parsed = { type: 'lookupTable', info: { ...info, authority: a } };
  const table = bytes(header(1, A), D, E);
  expect(account(LOOKUP, table)).toEqual({ program: 'address-lookup-table', parsed, space: 120 });
  expect(account(LOOKUP, bytes(header(0), D, E))?.parsed).toEqual({ type: 'lookupTable', info });
  expect(account(LOOKUP, new Uint8Array(56))?.parsed).toEqual({ type: 'uninitialized' });
  for (const length of [0, 3, 55, 100]) expect(account(LOOKUP, table.subarray(0, length))).toBeNull();
});

it('accounts of the upgradeable loader and sysvars have no parsed form', () => {
  expect(account(UPGRADEABLE_LOADER, bytes(u32(2), A))).toBeNull();
  expect(account(SYSVAR_OWNER, new Uint8Array(40))).toBeNull();
});
