import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { verifySignature } from '../../chain/signatures.js';
import type { Chain } from '../../chain/chain.js';
import type { WireTransaction } from '../../chain/solana/wire.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { queryTexts } from '../../contract/parse.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import { isObject } from '../../core/json.js';
import { parseBody } from '../../api/http/body.js';
import type { ApiRequest, ApiResponse } from '../../api/pipeline/api-request.js';
import type { CommandRequest, RpcOutcome } from '../../api/pipeline/recorder-port.js';
import { RpcError } from '../../api/rpc/errors.js';
import { decodeTransaction } from '../../api/rpc/methods/transactions.js';
import type { CallLine, ControlLine, RecordedTransaction, RpcLine } from '../schema.js';
import { ageOf, recordedTransaction, signedBy } from '../transactions.js';
import type { Actors } from './actors.js';
import type { Redactor } from './redactor.js';

export interface LineParts {
  readonly redactor: Redactor;
  readonly actors: Actors;
  readonly chain: Chain;
  readonly sent: Set<string>;
}

/** Redacts the members of a request; undefined for none. */
function redactedMembers<T extends object>(members: T, redactor: Redactor): T | undefined {
  return Object.keys(members).length === 0 ? undefined : (redactor.request(members) as T);
}

type Body = Pick<CallLine, 'body' | 'unparsed' | 'tooLarge' | 'brokenOff'>;

function bodyOf(request: ApiRequest): Body {
  if (request.size === Number.POSITIVE_INFINITY) {
    const body = request.body();
    const isTooLarge = !body.ok && body.refusal.code === 'payload_too_large';
    return isTooLarge ? { tooLarge: true } : { brokenOff: true };
  }
  const text = request.text();
  if (text === null) return {};
  const body = parseBody(text);
  if (body.ok) return { body: body.value };
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { unparsed: { bytes: Buffer.byteLength(text), sha256 } };
}

/** The parts of a call, read before the call may change them. */
export function readCall(operation: EndpointId, request: ApiRequest) {
  const query = request.hasQuery ? queryTexts(request.query()) : {};
  const key = request.method === 'POST' ? request.key() : null;
  const { authorization, params } = request;
  return { operation, authorization, params, query, key, sent: bodyOf(request) };
}

/** Replaces the signature of a challenge by whether it was valid. */
function signatureName(wallet: unknown, message: unknown, signature: string): string {
  if (typeof wallet !== 'string' || !isAddress(wallet)) return '<signed wrongly>';
  const bytes = Buffer.from(typeof message === 'string' ? message : '', 'utf8');
  return verifySignature(wallet, bytes, bs58.decode(signature)) ? '<signed>' : '<signed wrongly>';
}

/** A challenge issued before the recording started, in a form from which a replay can issue it. */
const EARLIER_CHALLENGE = /^agent-bank-sim wants .*\nWallet: .*\nNonce: (\d+)-.*\nIssued At: (.*)\n/;

/** The body of a sign-in without the credentials. */
function proofBody(body: Readonly<Record<string, unknown>>, code: unknown, redactor: Redactor): unknown {
  const { wallet, message, signature } = body;
  const redacted = redactor.request(body) as Record<string, unknown>;
  // A challenge that no recorded response contains, but that seems to have been issued.
  if (redacted['message'] === '<unknown challenge>' && code !== 'challenge_unknown') {
    const [, number, issuedAt] = EARLIER_CHALLENGE.exec(message as string) ?? [];
    if (number !== undefined) redacted['message'] = `<challenge ${number} of ${issuedAt}>`;
  }
  if (typeof signature === 'string' && isSignature(signature))
    redacted['signature'] = signatureName(wallet, message, signature);
  return redacted;
}

/** The line of a call. `response` is null when a fault has lost it, and while there is none; `wallet` is the token's. */
export function callLine(
  call: ReturnType<typeof readCall>,
  { told, wallet, at }: { told: ApiResponse['body']; wallet: string | null; at: number },
  { redactor, actors }: LineParts,
): CallLine {
  const { operation, authorization, params, query, key, sent } = call;
  const { body, ...unread } = sent;
  const named = isObject(body) && typeof body['wallet'] === 'string' ? body['wallet'] : null;
  const actor = wallet ?? (named !== null && isAddress(named) ? named : null);
  const code = (told?.body as { code?: unknown } | undefined)?.code;
  const who = actor === null ? undefined : actors.of(actor);
  const auth = redactor.authorization(authorization, { who: wallet === null ? undefined : who, code });
  const isProof = operation === 'verify' && isObject(body);
  return {
    at,
    kind: 'call',
    operation,
    who,
    auth,
    params: redactedMembers(params, redactor),
    query: redactedMembers(query, redactor),
    key: key === null ? undefined : (redactor.request(key) as string),
    body: isProof ? proofBody(body, code, redactor) : redactor.request(body),
    ...unread,
    response: told && { status: told.status, body: redactor.response(told.body) },
  };
}

export function commandLine(
  { command, id, query, body }: CommandRequest,
  { status, body: told }: { readonly status: number; readonly body: unknown },
  { at, redactor }: { readonly at: number; readonly redactor: Redactor },
): ControlLine {
  return {
    at,
    kind: 'control',
    command: command as ControlLine['command'],
    id: id === '' ? undefined : (redactor.request(id) as string),
    query: redactedMembers(query, redactor),
    body: redactor.request(body),
    response: { status, body: redactor.response(told) },
  };
}

const CHANGING = new Set(['sendTransaction', 'requestAirdrop']);

/** Methods that are never recorded: subscriptions belong to a connection, and faults do not apply to them. */
const OF_CONNECTIONS = /ubscribe$/;

/**
 * Whether a call is recorded at all. Reads are recorded while fault rules exist, since reads count towards them and draw from their
 * randomness.
 */
export function isRpcCallRecorded(method: string, hasFaults: boolean): boolean {
  return CHANGING.has(method) || (hasFaults && !OF_CONNECTIONS.test(method));
}

interface Sent {
  readonly wire: WireTransaction;
  readonly config: Readonly<Record<string, unknown>>;
  /** The age of its blockhash, and whether the chain already had it, when its work started; null before that. */
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

/** The transaction that a call sends or simulates; null when there is none, or it cannot be parsed. */
export function sentBy(params: unknown): Sent | null {
  if (!Array.isArray(params) || params.length > 2) return null;
  const [text, options = null] = params as readonly unknown[];
  if (typeof text !== 'string' || text.length < SHORTEST) return null;
  if (options !== null && !isObject(options)) return null;
  const { encoding = 'base58', ...config } = options ?? {};
  if (encoding !== 'base58' && encoding !== 'base64') return null;
  const wire = wireIn(text, encoding);
  return wire === null ? null : { wire, config, found: null };
}

export function lookUp(sent: Sent, chain: Chain): void {
  sent.found = { blockhash: ageOf(sent.wire, chain), isKnown: isTaken(sent.wire, chain) };
}

/** Whether the chain has a transaction, byte for byte: another one may have the same signature and fewer valid signers. */
function isTaken({ bytes, signature }: WireTransaction, chain: Chain): boolean {
  const taken = chain.transaction(signature);
  return taken !== null && Buffer.compare(taken.bytes, bytes) === 0;
}

/** The transaction of a call, as members of its line. */
function sentMembers(method: string, { wire, config, found }: Sent, parts: LineParts): Partial<RpcLine> {
  const { sent, chain, redactor, actors } = parts;
  const { blockhash, isKnown } = found as NonNullable<Sent['found']>;
  const options = { config: redactedMembers(config, redactor) };
  const { signature } = wire;
  if (isKnown && sent.has(signature)) return { repeats: signature, ...options };
  // A transaction on chain was signed correctly; verify only others.
  const signed = isTaken(wire, chain) ? wire.signatures.map(() => 'right' as const) : signedBy(wire);
  const transaction = recordedTransaction(wire, { blockhash, signed }, actors.known);
  // A transaction that was only simulated is secret: its signature would be valid for sending it.
  if (method !== 'sendTransaction') return { transaction, ...options };
  sent.add(signature);
  return { transaction, signature, ...options };
}

/** The parameters of other calls, without transactions in unexpected places. */
function withoutTransactions(params: unknown): unknown {
  if (!Array.isArray(params)) return params;
  return (params as readonly unknown[]).map((each) => {
    const isLong = typeof each === 'string' && each.length >= SHORTEST;
    const isOne = isLong && (['base64', 'base58'] as const).some((how) => wireIn(each, how) !== null);
    return isOne ? '(a transaction)' : each;
  });
}

/** An RPC call and its response; null when a fault has lost it. */
interface AnsweredRpc {
  readonly method: string;
  readonly params: unknown;
  readonly sent: Sent | null;
  readonly response: RpcOutcome | null;
}

function rpcResponse({ method, response }: AnsweredRpc, redactor: Redactor): RpcLine['response'] {
  if (response === null) return null;
  if ('error' in response) {
    const { code, message } = response.error;
    return { error: { code, message: redactor.response(message) as string } };
  }
  // Of a call that only reads, the result is not recorded.
  return CHANGING.has(method) ? { result: redactor.response(response.result) } : {};
}

export function rpcLine(call: AnsweredRpc, at: number, parts: LineParts): RpcLine {
  const { method, params, sent } = call;
  const { redactor, actors } = parts;
  return {
    at,
    kind: 'rpc',
    method: redactor.request(method) as string,
    ...(sent === null
      ? { params: redactor.request(withoutTransactions(params)) }
      : { who: actors.of(sent.wire.keys[0] as string), ...sentMembers(method, sent, parts) }),
    response: rpcResponse(call, redactor),
  };
}
