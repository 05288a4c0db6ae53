import type { Chain } from '../../chain/chain.js';
import type { WireTransaction } from '../../chain/wire.js';
import { decodeTransaction } from '../rpc/methods/transactions.js';
import { RpcError } from '../rpc/errors.js';
import type { RpcOutcome } from '../pipeline/recorder-port.js';
import { sentMember } from './command-line.js';
import { isDeepValue } from './depth.js';
import type { SecretRedactor } from './secret-redactor.js';
import type { RecordedTransaction } from './format.js';
import { ageOf, signedBy, withoutSecrets } from './transactions.js';
import { decodeInstructions, inWords } from './decoded-instruction.js';
import type { Actors } from './wallets.js';
import { isObject } from '../../core/json.js';

const CHANGING = new Set(['sendTransaction', 'requestAirdrop']);

/** Subscriptions belong to a connection, and faults do not apply to them. */
const OF_CONNECTIONS = /ubscribe$/;

/** Whether a call is recorded at all. While there are fault rules, reads count towards them and draw from their randomness. */
export function isRpcCallRecorded(method: string, hasFaults: boolean): boolean {
  return CHANGING.has(method) || (hasFaults && !OF_CONNECTIONS.test(method));
}

/** Whether a call changes the chain, so that its result is recorded. */
function isChanging(method: string): boolean {
  return CHANGING.has(method);
}

/** The transaction in a call, as received. */
export interface Sent {
  readonly wire: WireTransaction;
  readonly config: Readonly<Record<string, unknown>>;
  /** The age of its blockhash, and whether the chain had it already, when its work started; null before that. */
  found: { readonly blockhash: RecordedTransaction['blockhash']; readonly isKnown: boolean } | null;
}

/** Shorter texts contain no transaction. */
const SHORTEST = 100;

function wireIn(text: string, encoding: 'base58' | 'base64'): WireTransaction | null {
  try {
    return decodeTransaction(text, encoding);
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** The transaction that a call sends or simulates; null for none, and for one that cannot be parsed. */
export function sentBy(params: unknown): Sent | null {
  if (!Array.isArray(params) || params.length > 2) return null;
  const [text, options = null] = params as readonly unknown[];
  if (typeof text !== 'string' || text.length < SHORTEST) return null;
  if (options !== null && !isObject(options)) return null;
  const { encoding = 'base58', ...config } = options ?? {};
  if ((encoding !== 'base58' && encoding !== 'base64') || isDeepValue(config)) return null;
  const wire = wireIn(text, encoding);
  return wire === null ? null : { wire, config, found: null };
}

/** Checks the chain before a call changes it. */
export function lookUp(sent: Sent, chain: Chain): void {
  sent.found = {
    blockhash: ageOf(sent.wire, chain),
    isKnown: isTaken(sent.wire, chain),
  };
}

/** Whether the chain has a transaction, byte for byte: another may have the same signature and fewer valid signers. */
function isTaken({ bytes, signature }: WireTransaction, chain: Chain): boolean {
  const taken = chain.transaction(signature);
  return taken !== null && Buffer.compare(taken.bytes, bytes) === 0;
}

/** An RPC call and its response; null when a fault has lost it. */
export interface AnsweredRpc {
  readonly method: string;
  readonly params: unknown;
  readonly sent: Sent | null;
  readonly answer: RpcOutcome | null;
}

interface Parts {
  readonly secrets: SecretRedactor;
  readonly actors: Actors;
  /** Signatures of recorded transactions. */
  readonly sent: Set<string>;
  readonly chain: Chain;
}

function answerText({ method, answer }: AnsweredRpc, secrets: SecretRedactor): string {
  if (answer === null) return 'null';
  if ('error' in answer) {
    const { code, message } = answer.error;
    return secrets.redactResponse(JSON.stringify({ error: { code, message } }));
  }
  return isChanging(method) ? secrets.redactResponse(JSON.stringify({ result: answer.result })) : '{}';
}

/** The transaction of a call, as members of its line. */
function sentText(isChange: boolean, given: Sent, { actors, sent, chain, secrets }: Parts): string {
  const { wire, config } = given;
  const { blockhash, isKnown } = given.found as NonNullable<Sent['found']>;
  const options =
    Object.keys(config).length === 0 ? '' : `,"config":${secrets.redactRequest(JSON.stringify(config))}`;
  const { signature } = wire;
  if (isKnown && sent.has(signature)) return `,"repeats":"${signature}"${options}`;
  // A transaction on chain was signed correctly; verify only others.
  const signed = isTaken(wire, chain) ? wire.signatures.map(() => 'right' as const) : signedBy(wire);
  const does = inWords(decodeInstructions(wire), (address) => actors.known(address));
  const transaction = JSON.stringify(withoutSecrets(wire, { blockhash, signed, does }));
  // A transaction that was only simulated is secret: its signature would be valid for sending it.
  if (!isChange) return `,"transaction":${transaction}${options}`;
  sent.add(signature);
  return `,"transaction":${transaction},"signature":"${signature}"${options}`;
}

/** The parameters of any other call, without transactions in unexpected places. */
function paramsText(params: unknown, secrets: SecretRedactor): string {
  if (!Array.isArray(params)) return sentMember('params', params, secrets);
  const open = (params as readonly unknown[]).map((each) => {
    const isLong = typeof each === 'string' && each.length >= SHORTEST;
    const isOne = isLong && (['base64', 'base58'] as const).some((how) => wireIn(each, how) !== null);
    return isOne ? '(a transaction)' : each;
  });
  return sentMember('params', open, secrets);
}

export function rpcLine(call: AnsweredRpc, atMs: number, parts: Parts): string {
  const { method, params, sent } = call;
  const { secrets, actors } = parts;
  const head = `{"at":${atMs},"kind":"rpc","method":${secrets.redactRequest(JSON.stringify(method))}`;
  const who = sent === null ? '' : `,"who":"${actors.of(sent.wire.keys[0] as string)}"`;
  const request =
    sent === null ? paramsText(params, secrets) : sentText(method === 'sendTransaction', sent, parts);
  return `${head}${who}${request},"answer":${answerText(call, secrets)}}`;
}
