import type { WireTransaction } from '../../chain/solana/wire.js';
import type { Simulation } from '../../chain/submission.js';
import type { RpcContext } from './context.js';
import { encodeAccount } from './encoding/account.js';
import { balancesOf, NO_BALANCES } from './encoding/balances.js';
import { encodeInner, encodeReturnData } from './encoding/transaction.js';
import { invalidParam, invalidParams } from './errors.js';
import { type Config, addressText } from './params.js';

/** The options of a simulation that shape its response. */
export interface SimulationWishes {
  /** The `accounts` option: which accounts to return, and how. */
  readonly accounts: Config | null;
  readonly withInner: boolean;
  /** Whether the blockhash is replaced, so that any blockhash is accepted. */
  readonly isReplaced: boolean;
}

async function accountsAfter(
  context: RpcContext,
  wire: WireTransaction,
  simulation: Simulation,
  wishes: Config,
): Promise<(object | null)[]> {
  const most = wire.keys.length + simulation.loaded.writable.length + simulation.loaded.readonly.length;
  const wanted = wishes.list('addresses', most, 'Too many accounts provided');
  if (wanted === undefined) throw invalidParam('accounts needs addresses');
  const addresses = wanted.map((value, at) => addressText(value, `accounts.addresses[${at}]`));
  const encoding =
    wishes.oneOf('encoding', ['base64', 'base64+zstd', 'jsonParsed', 'base58', 'binary']) ?? 'base64';
  if (encoding === 'base58' || encoding === 'binary') throw invalidParams('base58 encoding not supported');
  if (simulation.execution.error !== null) return addresses.map(() => null);
  const touched = new Map(simulation.touched.map(({ address, post }) => [address, post]));
  const accounts = await Promise.all(
    addresses.map(async (address) =>
      touched.has(address) ? (touched.get(address) ?? null) : context.chain.getAccount(address),
    ),
  );
  const decimals = await context.decimals(accounts);
  return accounts.map((account) =>
    account === null ? null : encodeAccount(account, { encoding, slice: null }, decimals),
  );
}

/** The outcome of a transaction in the form of simulateTransaction. */
export async function simulationValue(
  context: RpcContext,
  wire: WireTransaction,
  wishes: SimulationWishes,
): Promise<Record<string, unknown>> {
  const replacement = wishes.isReplaced ? context.chain.latestBlockhash() : null;
  const simulation = await context.chain.simulate(wire, { replaceBlockhash: wishes.isReplaced });
  const { execution, touched, loaded, feeLamports } = simulation;
  const accountKeys = [...wire.keys, ...loaded.writable, ...loaded.readonly];
  const changes = new Map(touched.map((change) => [change.address, change]));
  const unchanged = await Promise.all(
    accountKeys.map(async (key) => (changes.has(key) ? null : context.chain.getAccount(key))),
  );
  const [pre, post] = (['pre', 'post'] as const).map((when) =>
    accountKeys.map((key, at) => changes.get(key)?.[when] ?? unchanged[at] ?? null),
  ) as [typeof unchanged, typeof unchanged];
  const balances = balancesOf(pre, post, await context.decimals([...pre, ...post]));
  let dataBytes = 0;
  for (const account of post) dataBytes += account?.data.length ?? 0;
  return {
    err: execution.error,
    logs: execution.logs,
    accounts:
      wishes.accounts === null ? null : await accountsAfter(context, wire, simulation, wishes.accounts),
    unitsConsumed: execution.unitsConsumed,
    returnData: encodeReturnData(execution.returnData) ?? null,
    innerInstructions: wishes.withInner ? encodeInner(execution.innerInstructions, accountKeys, true) : null,
    replacementBlockhash: replacement,
    fee: execution.executed ? feeLamports : null,
    ...(execution.executed ? balances : NO_BALANCES),
    loadedAddresses: loaded,
    loadedAccountsDataSize: execution.executed ? dataBytes : 0,
  };
}
