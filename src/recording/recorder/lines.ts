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
import { decodeTransaction } from '../../api/rpc/methods/transactions.js';
import type { LineOf } from '../schema.js';
import { ageOf, recordedTransaction } from '../transactions.js';
import type { Actors } from './actors.js';
import type { Redactor } from './redactor.js';

export interface LineParts {
  readonly redactor: Redactor;
  readonly actors: Actors;
  /** The signatures of the transactions in the recording. */
  readonly sent: Set<string>;
}

/** Redacts the members of a request; undefined for none. */
function redactedMembers<T extends object>(members: T, redactor: Redactor): T | undefined {
  return Object.keys(members).length === 0 ? undefined : (redactor.request(members) as T);
}

type Body = Pick<LineOf<'call'>, 'body' | 'unparsed' | 'tooLarge' | 'brokenOff'>;

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
  const { authorization, params } = request;
  const query = queryTexts(request.query());
  const key = request.method === 'POST' ? request.key() : null;
  return { operation, authorization, params, query, key, ...bodyOf(request) };
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
): LineOf<'call'> {
  const { operation, authorization, params, query, key, body, ...unread } = call;
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
  { told, at }: { told: { readonly status: number; readonly body: unknown }; at: number },
  { redactor }: LineParts,
): LineOf<'control'> {
  return {
    at,
    kind: 'control',
    command: command as LineOf<'control'>['command'],
    id: id === '' ? undefined : (redactor.request(id) as string),
    query: redactedMembers(query, redactor),
    body: redactor.request(body),
    response: { status: told.status, body: redactor.response(told.body) },
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

/** Shorter texts contain no transaction. */
const SHORTEST = 100;

function wireIn(text: string, encoding: 'base58' | 'base64'): WireTransaction | null {
  try {
    return decodeTransaction(text, encoding);
  } catch {
    return null;
  }
}

/** The transaction that a call sends or simulates; null when there is none, or it cannot be parsed. */
export function sentBy(params: unknown) {
  if (!Array.isArray(params) || params.length > 2) return null;
  const [text, options = null] = params as readonly unknown[];
  if (typeof text !== 'string' || text.length < SHORTEST) return null;
  if (options !== null && !isObject(options)) return null;
  const { encoding = 'base58', ...config } = options ?? {};
  if (encoding !== 'base58' && encoding !== 'base64') return null;
  const wire = wireIn(text, encoding);
  return wire === null ? null : { wire, config };
}

/** A transaction with what the chain now knows of it. */
export function lookedUp(given: NonNullable<ReturnType<typeof sentBy>>, chain: Chain) {
  const { wire } = given;
  const taken = chain.transaction(wire.signature);
  // Byte for byte: another one may have the same signature and fewer valid signers.
  const isKnown = taken !== null && Buffer.compare(taken.bytes, wire.bytes) === 0;
  return { ...given, blockhash: ageOf(wire, chain), isKnown };
}

type Sent = ReturnType<typeof lookedUp>;

/** The transaction of a call, as members of its line. */
function sentMembers(
  method: string,
  { wire, config, blockhash, isKnown }: Sent,
  { sent, redactor, actors }: LineParts,
): Partial<LineOf<'rpc'>> {
  const options = { config: redactedMembers(config, redactor) };
  const { signature } = wire;
  if (isKnown && sent.has(signature)) return { repeats: signature, ...options };
  const transaction = recordedTransaction(wire, blockhash, actors.known);
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

function rpcResponse(
  method: string,
  response: RpcOutcome | null,
  redactor: Redactor,
): LineOf<'rpc'>['response'] {
  if (response === null) return null;
  if ('error' in response) {
    const { code, message } = response.error;
    return { error: { code, message: redactor.response(message) as string } };
  }
  // Of a call that only reads, the result is not recorded.
  return CHANGING.has(method) ? { result: redactor.response(response.result) } : {};
}

/** The line of an RPC call. `told` is null when a fault has lost the response. */
export function rpcLine(
  { method, params, sent }: { method: string; params: unknown; sent: Sent | null },
  { told, at }: { told: RpcOutcome | null; at: number },
  parts: LineParts,
): LineOf<'rpc'> {
  const { redactor, actors } = parts;
  return {
    at,
    kind: 'rpc',
    method: redactor.request(method) as string,
    ...(sent === null
      ? { params: redactor.request(withoutTransactions(params)) }
      : { who: actors.of(sent.wire.keys[0] as string), ...sentMembers(method, sent, parts) }),
    response: rpcResponse(method, told, redactor),
  };
}
