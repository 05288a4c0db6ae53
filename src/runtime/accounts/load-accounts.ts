import { statSync } from 'node:fs';
import { ChainUnreachable } from '../../chain/backend.js';
import { ClusterReader } from '../../chain/cluster/reader.js';
import { RpcNode } from '../../chain/cluster/rpc.js';
import { programDataOf } from '../../chain/programs/deployed.js';
import { type GenesisSources, InvalidOptions } from '../config.js';
import { readAccountFile, readAccountFolder, readProgramFile } from './account-files.js';
import type { AddressedAccount } from './account-json.js';
import { accountsOfProgram } from './accounts-api.js';

interface Source {
  readonly name: string;
  readonly accounts: readonly AddressedAccount[];
  /** Whether it is a file in a folder; such a file is left out if it cannot be written. */
  readonly isOfFolder?: boolean;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

type Warn = (message: string) => void;

function fromFiles(given: NonNullable<GenesisSources['accounts']>[number], warn: Warn): Source[] {
  if (typeof given !== 'string') {
    if (!('file' in given)) return [{ name: 'an account', accounts: [given] }];
    return [{ name: given.file, accounts: [{ ...readAccountFile(given.file), pubkey: given.address }] }];
  }
  if (!isFolder(given)) return [{ name: given, accounts: [readAccountFile(given)] }];
  return readAccountFolder(given, warn).map(({ file, account }) => ({
    name: file,
    accounts: [account],
    isOfFolder: true,
  }));
}

function deployed({
  address,
  file,
  upgradeAuthority,
}: NonNullable<GenesisSources['programs']>[number]): Source {
  const bytes = typeof file === 'string' ? readProgramFile(file) : file;
  const program = { address, file: bytes, upgradeAuthority: upgradeAuthority ?? null };
  const name = typeof file === 'string' ? file : 'a program';
  try {
    return { name, accounts: accountsOfProgram(program) };
  } catch (error) {
    throw error instanceof RangeError ? new InvalidOptions(`${name}: ${error.message}`) : error;
  }
}

/** Reads accounts, and the executables of programs, from a cluster. */
async function cloned({
  url,
  accounts = [],
  programs = [],
}: NonNullable<GenesisSources['clone']>): Promise<Source> {
  const node = new RpcNode(url);
  const reader = new ClusterReader(node);
  const name = `the clone from ${node.name}`;
  const read = async (addresses: readonly string[]): Promise<AddressedAccount[]> => {
    const found = await reader.accounts(addresses);
    return addresses.map((pubkey, at) => {
      const account = found[at] ?? null;
      if (account === null) throw new InvalidOptions(`clone: ${node.name} has no account ${pubkey}`);
      return { pubkey, account };
    });
  };
  try {
    const wanted = await read([...accounts, ...programs]);
    const dataAddresses = wanted.slice(accounts.length).map(({ pubkey, account }) => {
      const address = account === null ? null : programDataOf(account);
      if (address === null)
        throw new InvalidOptions(
          `clone: ${pubkey} is not an upgradeable program at ${node.name}; clone it as an account`,
        );
      return address;
    });
    return { name, accounts: [...wanted, ...(await read(dataAddresses))] };
  } catch (error) {
    throw error instanceof ChainUnreachable ? new InvalidOptions(`clone: ${error.message}`) : error;
  }
}

/**
 * Loads accounts from files and from a cluster; `warn` is called for each file of a folder that is not an account.
 * Throws InvalidOptions, also for a duplicate address.
 */
export async function loadAccounts({ accounts = [], programs = [], clone }: GenesisSources, warn: Warn) {
  const sources = [...accounts.flatMap((given) => fromFiles(given, warn)), ...programs.map(deployed)];
  if (clone !== undefined) sources.push(await cloned(clone));
  const names = new Map<string, string>();
  for (const { name, accounts: found } of sources)
    for (const { pubkey } of found) {
      const other = names.get(pubkey);
      if (other !== undefined)
        throw new InvalidOptions(`${pubkey} is given twice: by ${other} and by ${name}`);
      names.set(pubkey, name);
    }
  const files = new Map(
    sources
      .filter(({ isOfFolder }) => isOfFolder)
      .flatMap(({ name, accounts: found }) => found.map(({ pubkey }) => [pubkey, name] as const)),
  );
  return {
    accounts: sources.flatMap(({ accounts: found }) => found),
    /** Warns that an account cannot be written; false for one that is not from a folder, and must be written. */
    leaveOut: (pubkey: string, reason: string) => {
      const file = files.get(pubkey);
      if (file !== undefined) warn(`${file}: ${reason}`);
      return file !== undefined;
    },
  };
}
