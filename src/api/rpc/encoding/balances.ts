import type { Account } from '../../../chain/engine.js';
import { addressOf, TOKEN_PROGRAM } from '../../../chain/solana/addresses.js';
import { TOKEN_ACCOUNT_BYTES } from '../../../chain/solana/token-accounts.js';
import { uiTokenAmount } from '../parsed/amounts.js';
import { TOKEN_2022_PROGRAM } from '../../../chain/solana/addresses.js';
import type { Decimals } from './account.js';

/** A token account of either token program, whatever its extensions. */
export interface TokenBalance {
  readonly mint: string;
  readonly owner: string;
  readonly delegate: string | null;
  readonly amountBase: bigint;
  readonly programId: string;
}

/** The byte that tells a token account with extensions from a mint with some. Source: Token-2022's AccountType. */
const ACCOUNT_TYPE = 2;

/** Reads a token account; null for anything else. */
export function tokenBalance(account: Account | null): TokenBalance | null {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return null;
  const { data, owner: programId } = account;
  const isPlain = data.length === TOKEN_ACCOUNT_BYTES;
  const isExtended =
    programId === TOKEN_2022_PROGRAM &&
    data.length > TOKEN_ACCOUNT_BYTES &&
    data[TOKEN_ACCOUNT_BYTES] === ACCOUNT_TYPE;
  if ((!isPlain && !isExtended) || data[108] === 0) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: addressOf(data.subarray(0, 32)),
    owner: addressOf(data.subarray(32, 64)),
    delegate: view.getUint32(72, true) === 1 ? addressOf(data.subarray(76, 108)) : null,
    amountBase: view.getBigUint64(64, true),
    programId,
  };
}

/** The supply and decimals of a mint; null for anything else. */
export function mintOf(account: Account | null): { supplyBase: bigint; decimals: number } | null {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return null;
  const { data } = account;
  const isExtended = data.length > TOKEN_ACCOUNT_BYTES && data[TOKEN_ACCOUNT_BYTES] === 1;
  if ((data.length !== 82 && !isExtended) || data[45] !== 1) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { supplyBase: view.getBigUint64(36, true), decimals: data[44] as number };
}

/** Lamports and tokens of every account of a transaction, before and after it. */
export interface Balances {
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly object[];
  readonly postTokenBalances: readonly object[];
}

function tokensOf(accounts: readonly (Account | null)[], decimalsOf: Decimals): object[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = tokenBalance(account);
    if (held === null) return [];
    const decimals = decimalsOf(held.mint) ?? 0;
    const { mint, owner, programId } = held;
    return [
      { accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(held.amountBase, decimals) },
    ];
  });
}

/** The balances of accounts in the order of a transaction's keys. */
export function balancesOf(
  pre: readonly (Account | null)[],
  post: readonly (Account | null)[],
  decimalsOf: Decimals,
): Balances {
  return {
    preBalances: pre.map((account) => account?.lamports ?? 0n),
    postBalances: post.map((account) => account?.lamports ?? 0n),
    preTokenBalances: tokensOf(pre, decimalsOf),
    postTokenBalances: tokensOf(post, decimalsOf),
  };
}
