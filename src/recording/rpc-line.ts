import type { Chain } from '../chain/chain.js';
import { MalformedTransaction, type WireTransaction, parseTransaction } from '../chain/wire.js';
import { decodeBytes } from '../rpc/methods/transactions.js';
import { RpcError } from '../rpc/errors.js';
import type { RpcOutcome } from '../rpc/tape.js';
import type { Secrets } from './secrets.js';
import { ageOf, signedBy, withoutSecrets } from './transactions.js';
import { deedsOf, inWords } from './transfers.js';
import type { Actors } from './wallets.js';

/** Methods that change the chain. */
const CHANGING = new Set(['sendTransaction', 'requestAirdrop']);

/** Subscriptions are of a connection, and no fault looks at them. */
const OF_CONNECTIONS = /ubscribe$/;

/** Whether a call is recorded at all. While there are faults, calls that only read take part in their counts and chances. */
export function takesPart(method: string, hasFaults: boolean): boolean {
  return CHANGING.has(method) || (hasFaults && !OF_CONNECTIONS.test(method));
}

/** Whether a call changes the chain, so that its result is kept. */
function isChanging(method: string): boolean {
  return CHANGING.has(method);
}

/** A transaction that a call sends, as it was when it came. */
export interface Sent {
  readonly wire: WireTransaction;
  readonly blockhash: number | 'old';
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether the chain had it already. */
  readonly isKnown: boolean;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The transaction that a call sends; null for another method, and for one that cannot be read. */
export function sentBy(method: string, params: unknown, chain: Chain): Sent | null {
  if (method !== 'sendTransaction' || !Array.isArray(params) || typeof params[0] !== 'string') return null;
  const { encoding, ...config } = isObject(params[1]) ? params[1] : {};
  if (encoding !== undefined && encoding !== 'base58' && encoding !== 'base64') return null;
  try {
    const wire = parseTransaction(decodeBytes(params[0], encoding ?? 'base58'));
    const isKnown = chain.transaction(wire.signature) !== null;
    return { wire, config, blockhash: ageOf(wire.blockhash, chain), isKnown };
  } catch (error) {
    if (error instanceof MalformedTransaction || error instanceof RpcError) return null;
    throw error;
  }
}

/** A call and what came of it; the answer is null when a fault has lost it. */
export interface AnsweredRpc {
  readonly method: string;
  readonly params: unknown;
  readonly sent: Sent | null;
  readonly answer: RpcOutcome | null;
}

interface Parts {
  readonly secrets: Secrets;
  readonly actors: Actors;
  /** Signatures of transactions that the recording has. */
  readonly sent: Set<string>;
  readonly chain: Chain;
}

function answerText({ method, answer }: AnsweredRpc, secrets: Secrets): string {
  if (answer === null) return 'null';
  if ('error' in answer) {
    const { code, message } = answer.error;
    return secrets.told(JSON.stringify({ error: { code, message } }));
  }
  return isChanging(method) ? secrets.told(JSON.stringify({ result: answer.result })) : '{}';
}

/** What a call has sent, as members of its line. */
function sentText({ wire, blockhash, config, isKnown }: Sent, { actors, sent, chain }: Parts): string {
  const options = Object.keys(config).length === 0 ? '' : `,"config":${JSON.stringify(config)}`;
  const { signature } = wire;
  if (isKnown && sent.has(signature)) return `,"repeats":"${signature}"${options}`;
  sent.add(signature);
  // What the chain has taken was signed as it must be; what it has not taken is looked at.
  const isTaken = chain.transaction(signature) !== null;
  const signed = isTaken ? wire.signatures.map(() => 'right' as const) : signedBy(wire);
  const does = inWords(deedsOf(wire), (address) => actors.known(address));
  const transaction = withoutSecrets(wire, { blockhash, signed, does });
  return `,"transaction":${JSON.stringify(transaction)},"signature":"${signature}"${options}`;
}

/** The line of a call of the RPC. */
export function rpcLine(call: AnsweredRpc, atMs: number, parts: Parts): string {
  const { method, params, sent } = call;
  const { secrets, actors } = parts;
  const head = `{"at":${atMs},"kind":"rpc","method":${JSON.stringify(method)}`;
  const who = sent === null ? '' : `,"who":"${actors.of(sent.wire.keys[0] as string)}"`;
  const asked =
    sent === null
      ? params === undefined
        ? ''
        : `,"params":${secrets.asked(JSON.stringify(params))}`
      : sentText(sent, parts);
  return `${head}${who}${asked},"answer":${answerText(call, secrets)}}`;
}
