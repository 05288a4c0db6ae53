import { writeFileSync } from 'node:fs';
import type { BodyOf, ControlClient } from '../api/control/client.js';
import { toJson } from '../core/exact-json.js';
import { RENT_EXEMPT_EPOCH } from '../chain/solana/token-accounts.js';
import { readAccountFile, readProgramFile } from '../runtime/accounts/account-files.js';
import { accountJson } from '../runtime/accounts/account-json.js';
import { addressArgument } from './key-option.js';
import { RemoteRefusal, writing } from './usage.js';

/** The account in a file, at the given address or, with `-`, at the address in the file. Throws InvalidOptions. */
export function accountFrom(address: string, file: string) {
  const read = readAccountFile(file);
  return accountJson(address === '-' ? read.pubkey : address, read.account);
}

/** A program file as input of the control interface. Throws UsageError and InvalidOptions. */
export function programFrom(given: {
  readonly address: string;
  readonly file: string;
  readonly upgradeAuthority: string | undefined;
}): BodyOf<'deployProgram'> {
  const { upgradeAuthority: authority } = given;
  return {
    address: addressArgument('address', given.address),
    file: Buffer.from(readProgramFile(given.file)).toString('base64'),
    upgradeAuthority: authority === undefined ? null : addressArgument('--upgrade-authority', authority),
  };
}

/** An account in the format of `solana account --output json`. Writes it to a file if one is given. */
export async function dumpAccount(control: ControlClient, address: string, file: string | undefined) {
  const { pubkey, account } = await control.do('account', { id: address });
  if (account === null) throw new RemoteRefusal(`${pubkey} does not exist`);
  const { data, executable, lamports, owner, space } = account;
  const rentEpoch = BigInt(account.rentEpoch ?? RENT_EXEMPT_EPOCH);
  const inOrder = { data, executable, lamports: BigInt(lamports), owner, rentEpoch, space };
  const text = `${toJson({ pubkey, account: inOrder })}\n`;
  if (file === undefined) return { file: null, text };
  writing(file, () => writeFileSync(file, text));
  return { file, text };
}
