import type { RanTransaction } from '../world.js';
import { type Attempt, type Shown, lamportsOf } from './attempt.js';
import { finalityFlaw } from './finality.js';
import { type RpcClient, differs } from './rpc-client.js';
import { signedFlaw } from './signed-form.js';

interface Key {
  readonly pubkey: string;
  readonly signer: boolean;
  readonly writable: boolean;
  readonly source: string;
}

/** A transaction as `getTransaction` tells it. */
interface Told {
  readonly slot: number;
  readonly blockTime: number;
  readonly version: 'legacy' | 0;
  readonly transaction: { readonly message: { readonly accountKeys: Key[] } };
  readonly meta: {
    err: unknown;
    fee: number;
    preBalances: number[];
    postBalances: number[];
    logMessages: string[];
    computeUnitsConsumed: number;
  };
}

export function transactionOf<T>(client: RpcClient, signature: string): Promise<T> {
  const options = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
  return client.result<T>('getTransaction', signature, options);
}

/** What is told of a transaction that has run. */
export async function landed(
  client: RpcClient,
  { message, before, signature, feeLamports, memo, moves, isWritten }: Attempt,
  after: readonly (Shown | null)[],
): Promise<{ ran: RanTransaction; told: string; log: unknown; deviation: string | null }> {
  const told = await transactionOf<Told>(client, signature);
  const { slot, blockTime, version, transaction, meta } = told;
  const { keys, fixed } = message;
  const [payer] = keys;
  const hasFailed = meta.err !== null;
  const wanted = keys.map(({ address }, at) => {
    const fee = at === 0 ? feeLamports : 0n;
    const moved = hasFailed ? 0n : (moves.get(address) ?? 0n);
    return Number(BigInt(before[at]?.lamports ?? 0) + moved - fee);
  });
  const parsed = keys.map(({ address, signer, writable }, at) => ({
    pubkey: address,
    signer,
    source: at < fixed ? 'transaction' : 'lookupTable',
    writable,
  }));
  const ordered = transaction.message.accountKeys.map(({ pubkey, signer, source, writable }) => ({
    pubkey,
    signer,
    source,
    writable,
  }));
  type Listed = { signature: string; memo: string | null; err: unknown; slot: number };
  const listed = (options: object) =>
    client.result<Listed[]>('getSignaturesForAddress', payer?.address, {
      commitment: 'confirmed',
      ...options,
    });
  const [last, older] = await listed({ limit: 2 });
  const earlier = await listed({ before: signature, limit: 1 });
  const since = older === undefined ? [last] : await listed({ until: older.signature });
  const options = { transactionDetails: 'signatures', rewards: false, commitment: 'confirmed' };
  const block = await client.result<{ signatures: string[]; blockTime: number }>('getBlock', slot, options);
  const others =
    (await signedFlaw(client, signature, message)) ??
    (await finalityFlaw(client, { signature, payer: payer?.address ?? '', slot, isWritten }));
  const note = memo === null ? null : `[${Buffer.byteLength(memo)}] ${memo}`;
  const deviation =
    differs('fee', meta.fee, Number(feeLamports)) ??
    differs('version', version, message.version) ??
    differs('balances before', meta.preBalances, lamportsOf(before)) ??
    differs('balances after', meta.postBalances, lamportsOf(after)) ??
    differs('lamports', lamportsOf(after), wanted) ??
    differs('accounts', ordered, parsed) ??
    differs('last signature of the payer', last?.signature, signature) ??
    differs('error in a list of signatures', last?.err, meta.err) ??
    differs('slot in a list of signatures', last?.slot, slot) ??
    (hasFailed ? null : differs('memo', last?.memo, note)) ??
    differs('signatures before the last', earlier[0]?.signature, older?.signature) ??
    differs('signatures since the one before', since.length, 1) ??
    differs('signatures of the block', block.signatures.includes(signature), true) ??
    differs('time of the block', block.blockTime, blockTime) ??
    others;
  const signers = keys.filter(({ signer }) => signer).map(({ address }) => address);
  const [feePayer = ''] = signers;
  return {
    told: JSON.stringify(told),
    log: [meta.logMessages, meta.computeUnitsConsumed],
    ran: { signature, hasFailed, feePayer, feeLamports, signers, slot, blockTimeSeconds: blockTime },
    deviation,
  };
}
