import type { Account } from './engine.js';
import { walletAccount } from './genesis.js';
import { associatedTokenAddress, tokenAccount, tokenAmount } from './tokens.js';

/** The offset of a mint's supply. Source: the layout of the SPL token program. */
const SUPPLY_AT = 36;

/**
 * The accounts to write so that a wallet holds an amount: its lamports, or the tokens in its associated account and with them the
 * supply of the mint.
 */
export async function setBalance(
  read: (address: string) => Promise<Account | null>,
  wanted: { address: string; token: 'USDC' | 'SOL'; amountBase: bigint; mint: string },
): Promise<Map<string, Account | null>> {
  const { address, token, amountBase, mint } = wanted;
  if (token === 'SOL') {
    const held = await read(address);
    const account = held === null ? walletAccount(amountBase) : { ...held, lamports: amountBase };
    return new Map([[address, amountBase === 0n ? null : account]]);
  }
  const place = associatedTokenAddress(address, mint);
  const before = tokenAmount(await read(place));
  const minted = await read(mint);
  if (minted === null) throw new RangeError(`there is no mint ${mint}`);
  const data = Uint8Array.from(minted.data);
  const view = new DataView(data.buffer);
  view.setBigUint64(SUPPLY_AT, view.getBigUint64(SUPPLY_AT, true) - before + amountBase, true);
  return new Map([
    [place, tokenAccount(mint, address, amountBase)],
    [mint, { ...minted, data }],
  ]);
}
