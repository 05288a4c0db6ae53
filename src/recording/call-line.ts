import { verifySignature } from '../chain/signatures.js';
import bs58 from 'bs58';
import type { EndpointId } from '../contract/endpoints.js';
import { isAddress, isSignature } from '../domain/inputs.js';
import type { Asked, ServiceAnswer } from '../http/asked.js';
import type { Bearers } from './bearers.js';
import type { Actors } from './wallets.js';
import type { Secrets } from './secrets.js';

/** A call and what came of it. */
export interface AnsweredCall {
  readonly operation: EndpointId;
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>> | null;
  readonly key: string | null;
  readonly text: string | null;
  readonly isTooLarge: boolean;
  /** Whose token it had. */
  readonly wallet: string | null;
  readonly told: ServiceAnswer['told'];
}

/** The same while it is under way. */
type UnderWay = { -readonly [K in keyof AnsweredCall]: AnsweredCall[K] };

/** Members of a call that has none of them. */
const NOTHING = {};

/** What a call asks, read while it can be; what comes of it is added later. */
export function readAsked(operation: EndpointId, asked: Asked): UnderWay {
  return {
    operation,
    authorization: asked.authorization,
    params: operation.startsWith('loan') ? asked.params : NOTHING,
    query: asked.hasQuery ? asked.query() : null,
    key: asked.method === 'POST' ? asked.key() : null,
    text: asked.text(),
    isTooLarge: asked.size === Number.POSITIVE_INFINITY,
    wallet: null,
    told: null,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** How a challenge was signed, in the place of its signature. */
function signatureName(wallet: string, message: string, signature: string): string {
  if (!isSignature(signature)) return signature;
  const isRight = verifySignature(wallet, Buffer.from(message, 'utf8'), bs58.decode(signature));
  return isRight ? '<signed>' : '<signed wrongly>';
}

/** The body of a sign-in without what would sign somebody in. */
function proofBody(body: Record<string, unknown>, secrets: Secrets): unknown {
  const { wallet, message, signature } = body;
  if (typeof message !== 'string' || typeof signature !== 'string') return body;
  const isWallet = typeof wallet === 'string' && isAddress(wallet);
  return {
    ...body,
    message: secrets.ofChallenge(message) ?? '<unknown challenge>',
    signature: isWallet ? signatureName(wallet, message, signature) : '<signed wrongly>',
  };
}

/** The member of a line that holds a body. */
function bodyMember(call: AnsweredCall, json: unknown, secrets: Secrets): string {
  if (call.isTooLarge) return ',"tooLarge":true';
  if (call.text === null) return '';
  if (json === undefined) return `,"text":${secrets.asked(JSON.stringify(call.text))}`;
  if (call.operation === 'verify' && isObject(json))
    // Its names are names already.
    return `,"body":${JSON.stringify(proofBody(json, secrets))}`;
  // Line ends stand between the parts of JSON only.
  const line = /[\r\n]/.test(call.text) ? call.text.replace(/[\r\n]/g, ' ') : call.text;
  return `,"body":${secrets.asked(line)}`;
}

function member(name: string, value: object | string | null, secrets: Secrets): string {
  return value === null ? '' : `,"${name}":${secrets.asked(JSON.stringify(value))}`;
}

/** Whether a text of a body can only be an object or a list: then JSON that was accepted need not be read again. */
function needsReading({ operation, told, text }: AnsweredCall): boolean {
  return text !== null && (operation === 'verify' || operation === 'challenge' || told?.status !== 200);
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

function answerOf({ operation, told }: AnsweredCall, secrets: Secrets): string {
  if (told === null) return 'null';
  const { status, body, json = JSON.stringify(body) } = told;
  const named = status === 200 && OPEN.has(operation) ? json : secrets.told(json);
  return `{"status":${status},"body":${named}}`;
}

/** What lines of calls are made with. */
export interface LineParts {
  readonly secrets: Secrets;
  readonly actors: Actors;
  readonly bearers: Bearers;
}

/** The line of a call. */
export function callLine(call: AnsweredCall, atMs: number, { secrets, actors, bearers }: LineParts): string {
  const { operation, authorization, params, query, key, wallet, told } = call;
  const json = needsReading(call) ? parsed(call.text as string) : null;
  const named = isObject(json) && typeof json['wallet'] === 'string' ? json['wallet'] : null;
  const actor = wallet ?? (named !== null && isAddress(named) ? named : null);
  const who = actor === null ? '' : `,"who":"${actors.of(actor)}"`;
  const auth = bearers.of({ authorization, wallet, body: told?.body });
  const bearing = auth === null ? '' : `,"auth":"${auth}"`;
  const target =
    (params === NOTHING ? '' : member('params', params, secrets)) +
    member('query', query, secrets) +
    member('key', key, secrets);
  const body = bodyMember(call, json, secrets);
  const answer = answerOf(call, secrets);
  return `{"at":${atMs},"kind":"call","operation":"${operation}"${who}${bearing}${target}${body},"answer":${answer}}`;
}
