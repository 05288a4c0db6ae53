import { SYSTEM_PROGRAM } from '../../src/chain/solana/addresses.js';
import type { Account } from '../../src/chain/engine.js';
import { USDC_MINTS, genesisAccounts } from '../../src/chain/genesis.js';
import { transferTokens } from '../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';
import { msOf } from '../measure.js';

/** An engine's package without the simulator: the best that it can do. */
export interface RawEngine {
  /** Signs `count` distinct USDC transfers in advance; the returned function executes them one after the other. */
  prepare(count: number): Promise<() => Promise<void>>;
}

const keys = new KeyRing('ceilings');
const sender = keys.derive('sender');
const recipient = keys.derive('recipient');

/** The accounts that the transfers require: a mint, two wallets and their token accounts. */
export function rawAccounts(): Map<string, Account> {
  const funds = { lamports: 1_000_000_000_000n, usdcBase: 1_000_000_000_000n };
  return genesisAccounts(SYSTEM_PROGRAM, [
    { address: sender.address, ...funds },
    { address: recipient.address, ...funds },
  ]);
}

let serial = 0;

/** Signed transfers as bytes, all distinct. */
export function signedTransfers(count: number, blockhash: string): Uint8Array[] {
  return Array.from({ length: count }, () => {
    serial += 1;
    const token = { mint: USDC_MINTS.mainnet, amountBase: BigInt(serial), decimals: 6 };
    return buildTransaction([transferTokens(sender.address, recipient.address, token)], [sender], blockhash);
  });
}

/** Transfers per second of an engine without the simulator. */
export async function rawRate(engine: RawEngine, count: number): Promise<number> {
  const run = await engine.prepare(count);
  return (count / (await msOf(run))) * 1_000;
}
