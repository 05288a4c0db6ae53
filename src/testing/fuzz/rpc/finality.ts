import { type RpcClient, differs } from './rpc-client.js';

/** More than lie between the last confirmed block and the last final one. */
const MOST_BLOCKS = 1_000;

interface Listed {
  readonly signature: string;
  readonly slot: number;
}

/** A transaction; null where it does not count yet. */
type Past = {
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: { readonly preBalances: readonly number[] };
} | null;

/**
 * How what is told at a later commitment contradicts the slots: nothing that came after the last final one counts yet. `isWritten` says
 * that balances were changed without a transaction.
 */
export async function finalityFlaw(
  client: RpcClient,
  {
    signature,
    payer,
    slot,
    isWritten,
  }: {
    readonly signature: string;
    readonly payer: string;
    readonly slot: number;
    readonly isWritten: boolean;
  },
): Promise<string | null> {
  const at = (commitment: string) => ({ commitment, maxSupportedTransactionVersion: 0 });
  const final = await client.result<number>('getSlot', at('finalized'));
  const shown = await client.result<Past>('getTransaction', signature, {
    ...at('finalized'),
    encoding: 'json',
  });
  const listed = await client.result<Listed[]>('getSignaturesForAddress', payer, at('confirmed'));
  const finalOnes = await client.result<Listed[]>('getSignaturesForAddress', payer, at('finalized'));
  let between = 0;
  // By their number: a jump may lie between, and a range of slots has a limit.
  const blocks = await client.result<number[]>('getBlocksWithLimit', final + 1, MOST_BLOCKS, at('confirmed'));
  for (const block of blocks) {
    const options = { ...at('confirmed'), transactionDetails: 'signatures', rewards: false };
    between += (await client.result<{ signatures: string[] }>('getBlock', block, options)).signatures.length;
  }
  const counts = [
    await client.result<number>('getTransactionCount', at('confirmed')),
    await client.result<number>('getTransactionCount', at('finalized')),
  ] as const;
  const namesOf = (list: readonly Listed[]) => list.map((each) => each.signature);
  const later = listed.filter((each) => each.slot > final);
  const first = later.at(-1);
  const past =
    first === undefined
      ? null
      : await client.result<Past>('getTransaction', first.signature, {
          ...at('confirmed'),
          encoding: 'json',
        });
  const place = past?.transaction.message.accountKeys.indexOf(payer) ?? -1;
  const { value: held } = await client.result<{ value: number }>('getBalance', payer, at('finalized'));
  return (
    differs('whether a transaction is final', shown !== null, slot <= final) ??
    differs(
      'final signatures of the payer',
      namesOf(finalOnes),
      namesOf(listed.filter((each) => each.slot <= final)),
    ) ??
    differs('transactions that are not final', counts[0] - counts[1], between) ??
    (place < 0 || isWritten ? null : differs('final balance', held, past?.meta.preBalances[place]))
  );
}
