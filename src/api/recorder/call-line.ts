import { verifySignature } from '../../chain/signatures.js';
import bs58 from 'bs58';
import { type EndpointId, endpoints } from '../../contract/endpoints.js';
import { hasId } from '../../contract/paths.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import type { ApiRequest, ApiResponse } from '../http/request.js';
import { parseJson } from '../http/body.js';
import type { AuthorizationRedactor } from './authorization-redactor.js';
import { isDeep } from './depth.js';
import type { Actors } from './wallets.js';
import type { SecretRedactor } from './secret-redactor.js';
import { isObject } from '../../core/json.js';

/** A call and what came of it. */
export interface AnsweredCall {
  readonly operation: EndpointId;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>> | null;
  readonly key: string | null;
  readonly text: string | null;
  /** Why there is no text of a body that came. */
  readonly unread: 'too large' | 'broken off' | null;
  /** Whose token it had. */
  readonly wallet: string | null;
  readonly told: ApiResponse['body'];
  /** Why it could not be read; null when it was. */
  readonly problem: unknown;
}

/** The same while it is under way. */
type CallInFlight = { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] };

/** Members of a call that has none of them. */
const NOTHING = {};

function unread(asked: ApiRequest): 'too large' | 'broken off' {
  const body = asked.body();
  return !body.ok && body.refusal.code === 'payload_too_large' ? 'too large' : 'broken off';
}

const ENDPOINTS = endpoints(DEFAULT_VARIANTS);

function read(operation: EndpointId, asked: ApiRequest): CallInFlight {
  return {
    operation,
    authorization: asked.authorization,
    params: hasId(ENDPOINTS[operation].path) ? asked.params : NOTHING,
    query: asked.hasQuery ? asked.query() : null,
    key: asked.method === 'POST' ? asked.key() : null,
    text: asked.text(),
    unread: asked.size === Number.POSITIVE_INFINITY ? unread(asked) : null,
    wallet: null,
    told: null,
    problem: null,
  };
}

/** What a call asks, read while it can be; what comes of it is added later. */
export function readAsked(operation: EndpointId, asked: ApiRequest): CallInFlight {
  try {
    return read(operation, asked);
  } catch (problem) {
    const nothing = { authorization: undefined, params: NOTHING, query: null, key: null, text: null };
    return { operation, ...nothing, unread: null, wallet: null, told: null, problem };
  }
}

/** The JSON of a body as the service has read it; undefined for one that a line holds as text. */
function parsed(text: string): unknown {
  const json = parseJson(text);
  return json.ok ? json.value : undefined;
}

/** How a challenge was signed, in the place of its signature. */
function signatureName(wallet: unknown, message: string, signature: string): string {
  if (typeof wallet !== 'string' || !isAddress(wallet)) return '<signed wrongly>';
  const isRight = verifySignature(wallet, Buffer.from(message, 'utf8'), bs58.decode(signature));
  return isRight ? '<signed>' : '<signed wrongly>';
}

/** A challenge that was issued before the recording began: what a replay needs to issue it. */
const OF_BEFORE = /^agent-bank-sim wants .*\nWallet: .*\nNonce: (\d+)-.*\nIssued At: (.*)\n/;

/** The name of a challenge that no answer in the recording has told; null when nothing says that anybody has issued it. */
function challengeOfBefore(message: string, told: ApiResponse['body']): string | null {
  const { code } = (told?.body ?? {}) as { code?: unknown };
  if (code === 'challenge_unknown') return null;
  const [, number, issuedAt] = OF_BEFORE.exec(message) ?? [];
  return number === undefined ? null : `<challenge ${number} of ${issuedAt}>`;
}

/** The body of a sign-in without what would sign somebody in. */
function proofBody(
  { text, told }: AnsweredCall,
  body: Record<string, unknown>,
  secrets: SecretRedactor,
): string {
  const { wallet, message, signature } = body;
  const json = secrets.redactRequest(text as string);
  const hidden = JSON.parse(json) as Record<string, unknown>;
  if (typeof message === 'string' && hidden['message'] === '<unknown challenge>')
    hidden['message'] = challengeOfBefore(message, told) ?? '<unknown challenge>';
  // What is no signature is hidden already where it must be.
  if (typeof signature === 'string' && isSignature(signature))
    hidden['signature'] = signatureName(wallet, typeof message === 'string' ? message : '', signature);
  return JSON.stringify(hidden);
}

/** What may be a signature in a text that is not taken apart. */
const SIGNATURE = /(?<!\\)[1-9A-HJ-NP-Za-km-z]{64,90}/g;

/** The member of a line that holds a body. */
function bodyMember(call: AnsweredCall, json: unknown, secrets: SecretRedactor): string {
  const { text, operation, unread: why } = call;
  if (why !== null) return why === 'too large' ? ',"tooLarge":true' : ',"brokenOff":true';
  if (text === null) return '';
  if (json === undefined) {
    const hidden = secrets.redactRequest(JSON.stringify(text));
    return `,"text":${operation === 'verify' ? hidden.replace(SIGNATURE, '<signed wrongly>') : hidden}`;
  }
  if (operation === 'verify' && isObject(json)) return `,"body":${proofBody(call, json, secrets)}`;
  // Line ends stand between the parts of JSON only.
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, ' ') : text;
  return `,"body":${secrets.redactRequest(line)}`;
}

function member(name: string, value: object | string | null, secrets: SecretRedactor): string {
  return value === null ? '' : `,"${name}":${secrets.redactRequest(JSON.stringify(value))}`;
}

/** Whether a text of a body can only be an object or a list: then JSON that was accepted need not be read again. */
function needsReading({ operation, told, text }: AnsweredCall): boolean {
  return text !== null && (operation === 'verify' || operation === 'challenge' || told?.status !== 200);
}

/** The JSON of a body; null when nobody needs it, undefined for a body that a line holds as text. */
function jsonOf(call: AnsweredCall): unknown {
  if (call.text === null) return null;
  if (isDeep(call.text)) return undefined;
  return needsReading(call) ? parsed(call.text) : null;
}

/** Operations whose answers hold numbers, instants, ids, addresses, signatures of transactions and words of the service only: no secret. */
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

/** What lines of calls are made with. */
export interface LineParts {
  readonly secrets: SecretRedactor;
  readonly actors: Actors;
  readonly authorizations: AuthorizationRedactor;
}

/** The line of a call. Throws what kept it from being read. */
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
