import type { Account } from '../../../chain/engine.js';
import { rentExemptLamports } from '../../../chain/solana/token-accounts.js';
import type { MethodTable, RpcContext } from '../context.js';
import { type AccountShape, accountShape, encodeAccount, shownBytes } from '../encoding/account.js';
import { answerTooLarge } from '../errors.js';
import { accountFilter } from '../filters.js';

/** Agave's limit of getMultipleAccounts. */
const MAX_MULTIPLE = 100;
/** Agave's MAX_PERMITTED_DATA_LENGTH of an account. */
const MAX_ACCOUNT_BYTES = 10 * 1_024 * 1_024;
const LARGEST_COUNT = 20;

/** The items with the largest amounts, in descending order. */
export function largest<T>(items: readonly T[], amountOf: (item: T) => bigint): T[] {
  const compare = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0);
  return items.toSorted((a, b) => compare(amountOf(a), amountOf(b))).slice(0, LARGEST_COUNT);
}

/** Throws RpcError when accounts are too large in total, before any is encoded. */
async function encodeAll(
  context: RpcContext,
  accounts: readonly (Account | null)[],
  shape: AccountShape,
): Promise<(object | null)[]> {
  const { rpcResponseBytes } = context.world.limits;
  let bytes = 0;
  for (const account of accounts) bytes += account === null ? 0 : shownBytes(account, shape);
  if (bytes > rpcResponseBytes) throw answerTooLarge(rpcResponseBytes);
  const decimals = await context.decimals(accounts);
  return accounts.map((account) => (account === null ? null : encodeAccount(account, shape, decimals)));
}

/** Encodes accounts as pairs of address and account. */
export async function keyedAccounts(
  context: RpcContext,
  found: readonly (readonly [string, Account])[],
  shape: AccountShape,
): Promise<object[]> {
  const accounts = found.map(([, account]) => account);
  const encoded = await encodeAll(context, accounts, shape);
  return found.map(([pubkey], at) => ({ pubkey, account: encoded[at] }));
}

export const ACCOUNT_METHODS: MethodTable = {
  async getBalance(params, context) {
    const address = params.address(0, 'pubkey');
    const commitment = context.commitment(params.config(1));
    const account = await context.view.account(address, commitment);
    return context.at(commitment, account?.lamports ?? 0n);
  },

  async getAccountInfo(params, context) {
    const address = params.address(0, 'pubkey');
    const config = params.config(1);
    const shape = accountShape(config);
    const commitment = context.commitment(config);
    const account = await context.view.account(address, commitment);
    const [encoded] = await encodeAll(context, [account], shape);
    return context.at(commitment, encoded);
  },

  async getMultipleAccounts(params, context) {
    const addresses = params.addresses(0, 'pubkeys', MAX_MULTIPLE);
    const config = params.config(1);
    const shape = accountShape(config, 'base64');
    const commitment = context.commitment(config);
    const accounts = await context.view.accounts(addresses, commitment);
    return context.at(commitment, await encodeAll(context, accounts, shape));
  },

  async getProgramAccounts(params, context) {
    const program = params.address(0, 'programId');
    const config = params.config(1);
    const shape = accountShape(config);
    const passes = accountFilter(config);
    const isWrapped = config.flag('withContext');
    const commitment = context.commitment(config);
    const found = await context.view.accountsWhere(
      (account) => account.owner === program && passes(account),
      commitment,
    );
    const encoded = await keyedAccounts(context, found, shape);
    return isWrapped ? context.at(commitment, encoded) : encoded;
  },

  getMinimumBalanceForRentExemption(params) {
    const bytes = params.integer(0, 'dataLength', MAX_ACCOUNT_BYTES);
    params.commitmentConfig(1).commitment();
    return rentExemptLamports(bytes);
  },

  async getLargestAccounts(params, context) {
    const config = params.config(0);
    const filter = config.oneOf('filter', ['circulating', 'nonCirculating']);
    const commitment = context.commitment(config);
    const all = await context.view.accountsWhere(
      (_, address) =>
        filter === undefined || (filter === 'nonCirculating') === (address === context.world.faucet.address),
      commitment,
    );
    const held = all.map(([address, { lamports }]) => ({ address, lamports }));
    return context.at(
      commitment,
      largest(held, ({ lamports }) => lamports),
    );
  },

  async getSupply(params, context) {
    const config = params.config(0);
    const commitment = context.commitment(config);
    const isListed = !config.flag('excludeNonCirculatingAccountsList');
    const { address } = context.world.faucet;
    const nonCirculating = (await context.view.account(address, commitment))?.lamports ?? 0n;
    let total = 0n;
    for (const [, { lamports }] of await context.view.accountsWhere(() => true, commitment))
      total += lamports;
    return context.at(commitment, {
      total,
      circulating: total - nonCirculating,
      nonCirculating,
      nonCirculatingAccounts: isListed ? [address] : [],
    });
  },
};
