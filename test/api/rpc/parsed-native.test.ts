import type * as web3 from '@solana/web3.js';
import { expect, it } from 'vitest';
import * as solana from '../../../src/chain/solana/addresses.js';
import { KEYS, account, bytes, u32 } from './parsed-support.js';

const { A, B, D, E, a, b, d, e } = KEYS;
const { SYSVARS, LOOKUP_TABLE_PROGRAM: LOOKUP, SYSTEM_PROGRAM: SYSTEM, SYSVAR_OWNER: SYSVAR } = solana;
const { UPGRADEABLE_LOADER: LOADER } = solana;
const { recentBlockhashes: BLOCKHASHES, clock: CLOCK, epochSchedule: EPOCHS, rent: RENT } = SYSVARS;

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

it('parsed clock, rent and epoch schedule sysvars have the fields of a node', () => {
  const epochs = { epoch: 2, leaderScheduleEpoch: 3 };
  const clock = { slot: 10, epochStartTimestamp: -1, ...epochs, unixTimestamp: 1_700_000_000 };
  const data = bytes(10n, -1n, 2n, 3n, 1_700_000_000n);
  const parsed = { type: 'clock', info: clock };
  expect(account(SYSVAR, data, CLOCK)).toEqual({ program: 'sysvar', parsed, space: 40 });
  const threshold = new Uint8Array(new Float64Array([2]).buffer);
  const rent = { lamportsPerByteYear: '3480', exemptionThreshold: 2, burnPercent: 50 };
  expect(account(SYSVAR, bytes(3480n, threshold, 50), RENT)?.parsed).toEqual({ type: 'rent', info: rent });
  const lengths = { slotsPerEpoch: 32, leaderScheduleSlotOffset: 31, warmup: true };
  const epochSchedule = { ...lengths, firstNormalEpoch: 1, firstNormalSlot: 2 };
  const schedule = account(SYSVAR, bytes(32n, 31n, 1, 1n, 2n), EPOCHS);
  expect(schedule?.parsed).toEqual({ type: 'epochSchedule', info: epochSchedule });
  expect(account(SYSVAR, data, BLOCKHASHES)).toBeNull();
  expect(account(SYSVAR, data.subarray(1), CLOCK)).toBeNull();
});

it('the other parsed sysvars have the fields of a node', () => {
  const feeCalculator = { lamportsPerSignature: '5000' };
  const double = (value: number) => new Uint8Array(new Float64Array([value]).buffer);
  const shown = (address: string, data: Uint8Array): unknown => account(SYSVAR, data, address)?.parsed;
  expect(shown(BLOCKHASHES, bytes(2n, A, 5000n, B, 5000n))).toEqual({
    type: 'recentBlockhashes',
    info: [
      { blockhash: a, feeCalculator },
      { blockhash: b, feeCalculator },
    ],
  });
  expect(shown(SYSVARS.fees, bytes(5000n))).toEqual({ type: 'fees', info: { feeCalculator } });
  expect(shown(SYSVARS.rewards, bytes(double(0.5), double(0)))).toEqual({
    type: 'rewards',
    info: { validatorPointValue: 0.5 },
  });
  expect(shown(SYSVARS.slotHashes, bytes(1n, 7n, A, new Uint8Array(80)))).toEqual({
    type: 'slotHashes',
    info: [{ slot: 7, hash: a }],
  });
  const stakeHistory = { effective: 10, activating: 2, deactivating: 3 };
  expect(shown(SYSVARS.stakeHistory, bytes(1n, 1n, 10n, 2n, 3n))).toEqual({
    type: 'stakeHistory',
    info: [{ epoch: 1, stakeHistory }],
  });
  expect(shown(SYSVARS.lastRestartSlot, bytes(1282n))).toEqual({
    type: 'lastRestartSlot',
    info: { lastRestartSlot: 1282 },
  });
  expect(shown(SYSVARS.epochRewards, bytes(42n, 1n, A, 7n, 1n, 100n, 20n, 1))).toEqual({
    type: 'epochRewards',
    info: {
      distributionStartingBlockHeight: 42,
      numPartitions: 1,
      parentBlockhash: a,
      totalPoints: String(7n + (1n << 64n)),
      totalRewards: '100',
      distributedRewards: '20',
      active: true,
    },
  });
  const words = new Uint8Array(131_072);
  words[0] = 0b101;
  const { type, info } = shown(SYSVARS.slotHistory, bytes(1, 16_384n, words, 1_048_576n, 3n)) as {
    type: string;
    info: { nextSlot: number; bits: string };
  };
  expect([type, info.nextSlot, info.bits.length]).toEqual(['slotHistory', 3, 1_048_576]);
  expect(info.bits.slice(0, 5)).toBe('10100');
  for (const address of Object.values(SYSVARS)) expect(shown(address, bytes(255, 1))).toBeUndefined();
  expect(shown(SYSVAR, bytes(1282n))).toBeUndefined();
});

it('parsed accounts of the upgradeable loader have the fields of a node', () => {
  const program = [7, 7, 7];
  const data = ['BwcH', 'base64'];
  const shown = (...parts: Parameters<typeof bytes>): unknown => account(LOADER, bytes(...parts))?.parsed;
  expect(account(LOADER, bytes(u32(2), A))).toEqual({
    program: 'bpf-upgradeable-loader',
    parsed: { type: 'program', info: { programData: a } },
    space: 36,
  });
  expect(shown(u32(0))).toEqual({ type: 'uninitialized' });
  expect(shown(u32(1), 1, A, program)).toEqual({ type: 'buffer', info: { authority: a, data } });
  expect(shown(u32(1), 0, program)).toEqual({ type: 'buffer', info: { authority: null, data } });
  const programData = (authority: string | null): unknown => ({
    type: 'programData',
    info: { slot: 42, authority, data },
  });
  expect(shown(u32(3), 42n, 1, A, program)).toEqual(programData(a));
  expect(shown(u32(3), 42n, 0, program)).toEqual(programData(null));
  for (const parts of [[], [u32(2)], [u32(3), 42n], [u32(4)]] as const)
    expect(shown(...parts)).toBeUndefined();
});
