import { queryTexts } from '../../contract/parse.js';
import { verifySignature } from '../../chain/signatures.js';
import bs58 from 'bs58';
import { type EndpointId, endpoints } from '../../contract/endpoints.js';
import { hasId } from '../../contract/match-path.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import type { ApiRequest, ApiResponse } from '../pipeline/api-request.js';
import { parseJson } from '../http/body.js';
import type { AuthorizationRedactor } from './authorization-redactor.js';
import { isDeep } from './depth.js';
import type { Actors } from './wallets.js';
import type { SecretRedactor } from './secret-redactor.js';
import { isObject } from '../../core/json.js';

export interface AnsweredCall {
  readonly operation: EndpointId;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>> | null;
  readonly key: string | null;
  readonly text: string | null;
  /** Why the text of a body is missing. */
  readonly unread: 'too large' | 'broken off' | null;
  readonly wallet: string | null;
  readonly told: ApiResponse['body'];
  /** Why it could not be read; null when it was. */
  readonly problem: unknown;
}

type CallInFlight = { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] };

/** A shared value for calls without path parameters. */
const NOTHING = {};

function unread(request: ApiRequest): 'too large' | 'broken off' {
  const body = request.body();
  return !body.ok && body.refusal.code === 'payload_too_large' ? 'too large' : 'broken off';
}

const ENDPOINTS = endpoints(DEFAULT_VARIANTS);

function read(operation: EndpointId, request: ApiRequest): CallInFlight {
  return {
    operation,
    authorization: request.authorization,
    params: hasId(ENDPOINTS[operation].path) ? request.params : NOTHING,
    query: request.hasQuery ? queryTexts(request.query()) : null,
    key: request.method === 'POST' ? request.key() : null,
    text: request.text(),
    unread: request.size === Number.POSITIVE_INFINITY ? unread(request) : null,
    wallet: null,
    told: null,
    problem: null,
  };
}

/** The input of a call, read while it is available; the response is added later. */
export function readAsked(operation: EndpointId, request: ApiRequest): CallInFlight {
  try {
    return read(operation, request);
  } catch (problem) {
    const nothing = { authorization: undefined, params: NOTHING, query: null, key: null, text: null };
    return { operation, ...nothing, unread: null, wallet: null, told: null, problem };
  }
}

/** A body parsed like the service does; undefined for one that a line holds as text. */
function parsed(text: string): unknown {
  const json = parseJson(text);
  return json.ok ? json.value : undefined;
}

/** Replaces the signature of a challenge by whether it was valid. */
function signatureName(wallet: unknown, message: string, signature: string): string {
  if (typeof wallet !== 'string' || !isAddress(wallet)) return '<signed wrongly>';
  const isRight = verifySignature(wallet, Buffer.from(message, 'utf8'), bs58.decode(signature));
  return isRight ? '<signed>' : '<signed wrongly>';
}

/** A challenge issued before the recording started, with what a replay needs to issue it. */
const EARLIER_CHALLENGE = /^agent-bank-sim wants .*\nWallet: .*\nNonce: (\d+)-.*\nIssued At: (.*)\n/;

/** The alias of a challenge that no recorded response contains; null unless it seems to have been issued. */
function earlierChallenge(message: string, answer: ApiResponse['body']): string | null {
  const { code } = (answer?.body ?? {}) as { code?: unknown };
  if (code === 'challenge_unknown') return null;
  const [, number, issuedAt] = EARLIER_CHALLENGE.exec(message) ?? [];
  return number === undefined ? null : `<challenge ${number} of ${issuedAt}>`;
}

/** The body of a sign-in without the credentials. */
function proofBody(
  { text, told }: AnsweredCall,
  body: Record<string, unknown>,
  secrets: SecretRedactor,
): string {
  const { wallet, message, signature } = body;
  const json = secrets.redactRequest(text as string);
  const hidden = JSON.parse(json) as Record<string, unknown>;
  if (typeof message === 'string' && hidden['message'] === '<unknown challenge>')
    hidden['message'] = earlierChallenge(message, told) ?? '<unknown challenge>';
  // Anything but a signature has been redacted already if it must be.
  if (typeof signature === 'string' && isSignature(signature))
    hidden['signature'] = signatureName(wallet, typeof message === 'string' ? message : '', signature);
  return JSON.stringify(hidden);
}

/** A possible signature in text that is not parsed. */
const SIGNATURE = /(?<!\\)[1-9A-HJ-NP-Za-km-z]{64,90}/g;

function bodyMember(call: AnsweredCall, json: unknown, secrets: SecretRedactor): string {
  const { text, operation, unread: why } = call;
  if (why !== null) return why === 'too large' ? ',"tooLarge":true' : ',"brokenOff":true';
  if (text === null) return '';
  if (json === undefined) {
    const hidden = secrets.redactRequest(JSON.stringify(text));
    return `,"text":${operation === 'verify' ? hidden.replace(SIGNATURE, '<signed wrongly>') : hidden}`;
  }
  if (operation === 'verify' && isObject(json)) return `,"body":${proofBody(call, json, secrets)}`;
  // In valid JSON, line breaks occur only between tokens.
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, ' ') : text;
  return `,"body":${secrets.redactRequest(line)}`;
}

function member(name: string, value: object | string | null, secrets: SecretRedactor): string {
  return value === null ? '' : `,"${name}":${secrets.redactRequest(JSON.stringify(value))}`;
}

/** Whether a body must be parsed again: not one that the service accepted, except for sign-ins. */
function needsReading({ operation, told, text }: AnsweredCall): boolean {
  return text !== null && (operation === 'verify' || operation === 'challenge' || told?.status !== 200);
}

/** The JSON of a body; null when it is not needed, undefined for a body that a line holds as text. */
function jsonOf(call: AnsweredCall): unknown {
  if (call.text === null) return null;
  if (isDeep(call.text)) return undefined;
  return needsReading(call) ? parsed(call.text) : null;
}

/** Operations without secrets in responses: only numbers, instants, ids, addresses, transaction signatures and fixed words. */
export const OPEN: ReadonlySet<EndpointId> = new Set([
  'account',
  'deposit',
  'withdraw',
  'transactions',
  'savingsDeposit',
  'savingsWithdraw',
  'yieldRates',
  'collateralBorrow',
  'collateralRepay',
]);

function answerOf({ operation, told }: AnsweredCall, secrets: SecretRedactor): string {
  if (told === null) return 'null';
  const { status, body, json = JSON.stringify(body) } = told;
  const named = status === 200 && OPEN.has(operation) ? json : secrets.redactResponse(json);
  return `{"status":${status},"body":${named}}`;
}

/** What is needed to write the lines of calls. */
export interface LineParts {
  readonly secrets: SecretRedactor;
  readonly actors: Actors;
  readonly authorizations: AuthorizationRedactor;
}

/** The line of a call. Throws the error that occurred when it was read. */
export function callLine(
  call: AnsweredCall,
  atMs: number,
  { secrets, actors, authorizations }: LineParts,
): string {
  if (call.problem !== null) throw call.problem;
  const { operation, authorization, params, query, key, wallet, told } = call;
  const json = jsonOf(call);
  const named = isObject(json) && typeof json['wallet'] === 'string' ? json['wallet'] : null;
  const actor = wallet ?? (named !== null && isAddress(named) ? named : null);
  const who = actor === null ? '' : `,"who":"${actors.of(actor)}"`;
  const auth = authorizations.of({ authorization, wallet, body: told?.body });
  const bearing = auth === null ? '' : `,"auth":"${auth}"`;
  const target =
    (params === NOTHING ? '' : member('params', params, secrets)) +
    member('query', query, secrets) +
    member('key', key, secrets);
  const body = bodyMember(call, json, secrets);
  const answer = answerOf(call, secrets);
  return `{"at":${atMs},"kind":"call","operation":"${operation}"${who}${bearing}${target}${body},"answer":${answer}}`;
}
