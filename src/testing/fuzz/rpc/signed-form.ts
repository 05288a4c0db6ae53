import { isObject } from '../../../core/json.js';
import type { Message } from './message.js';
import { type RpcClient, differs } from './rpc-client.js';

interface Raw {
  readonly transaction: {
    readonly signatures: string[];
    readonly message: Record<string, unknown> & { readonly instructions: { stackHeight?: unknown }[] };
  };
  readonly meta: { readonly loadedAddresses?: unknown };
}

/** JSON with the members of its objects in the order of their names. */
function sortedText(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** How what is told of a transaction in its signed form differs from what was signed. */
export async function signedFlaw(
  client: RpcClient,
  signature: string,
  { json, keys, loaded }: Message,
): Promise<string | null> {
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
  const { transaction, meta } = await client.result<Raw>('getTransaction', signature, options);
  const { signatures, message } = transaction;
  // Nodes of different versions tell another height, or none.
  const instructions = message.instructions.map(({ stackHeight: _, ...instruction }) => instruction);
  const told = { ...message, instructions };
  return (
    differs('message', sortedText(told), sortedText(json)) ??
    differs('first signature', signatures[0], signature) ??
    differs('signatures of a transaction', signatures.length, keys.filter(({ signer }) => signer).length) ??
    differs('loaded addresses', sortedText(meta.loadedAddresses), sortedText(loaded))
  );
}
