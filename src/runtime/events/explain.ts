import type { Entry, Facts, Posting } from '../../core/domain/entry.js';
import { isoOf } from '../../core/domain/calendar.js';
import { amountOf } from '../../core/domain/money.js';
import { percentText } from '../../core/domain/views.js';
import { RULES, type RuleId, reasonOf } from '../../core/domain/rules.js';
import { shortText } from '../../core/domain/short-text.js';
import { asJson } from '../../core/json.js';
import { printable } from '../../core/printable.js';
import { changeText } from './change-text.js';
import type { EventLog } from './log.js';
import { type EventJson, type RequestEvent, type SimEvent, eventJson, plain } from './event.js';

/** Everything that a request caused. */
export interface Explanation {
  readonly requestId: string;
  /** Plain text, one or more sentences per line. */
  readonly text: string;
  /** The rule that decided it; null for a success and when no rule of the service decided. */
  readonly rule: string | null;
  /** The body of its response as JSON, cut when it is long; null when it was lost, or is not stored. */
  readonly answer: string | null;
  /** Its events, in order. */
  readonly events: readonly EventJson[];
}

const ACCOUNT_WORDS: Readonly<Record<Posting['account'], string>> = {
  treasury: 'the treasury on chain',
  collection: 'the collection address on chain',
  protocol: 'the lending protocol',
  collateral_loan: 'the collateral loan',
  credit_line: 'the credit line',
  checking: 'checking',
  savings: 'savings',
  yield: 'booked yield',
  pending: 'reserved for a transfer',
  uncollected: 'arrived but not received',
  unclaimed: 'arrived but not recorded',
  interest_income: 'interest and fees paid to the bank',
  network_fees: 'network fees of the bank',
  capital: 'capital of the bank',
};

function postingWords({ account, token, amountBase }: Posting): string {
  const isCredit = amountBase < 0n;
  const amount = amountOf(token, isCredit ? -amountBase : amountBase).toString();
  return `${ACCOUNT_WORDS[account]} ${changeText({ account, isCredit, amount })} ${token}`;
}

function entryWords({ seq, facts, postings }: Entry): string {
  const what = 'reason' in facts && facts.reason !== null ? `${facts.kind} (${facts.reason})` : facts.kind;
  const moved = postings.length === 0 ? 'no money moved' : postings.map(postingWords).join(', ');
  return `Entry ${seq}, ${what}: ${moved}.${consequenceWords(facts)}`;
}

const usdc = (base: bigint): string => `${amountOf('USDC', base).toString()} USDC`;

/** The limit that caused an entry without a call, with its numbers. */
function consequenceWords(facts: Facts): string {
  switch (facts.kind) {
    case 'collateral.liquidated': {
      const { owedBase, valueBase, liquidationPpm } = facts;
      return ` ${usdc(owedBase)} was owed, more than ${percentText(liquidationPpm)} (liquidationLtv) of savings worth ${usdc(valueBase)} with their yield.`;
    }
    case 'loan.applied':
      return ` The loan is ${facts.status}.`;
    case 'loan.charged':
      return ` The loan was not paid at its due date, when ${usdc(facts.owedBase)} was owed (lateFeeUsd, lateFeeRate).`;
    case 'loan.set_off':
      return ` The loan defaulted with ${usdc(facts.owedBase)} owed and ${usdc(facts.checkingBase)} in checking (setOffShare).`;
    default:
      return '';
  }
}

function numberWords(details: unknown): string {
  if (typeof details !== 'object' || details === null) return '';
  const words = Object.entries(details).map(
    ([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A remedy with the values of the details that it names. Of a choice whose first part would be `Use at most 0`, the second part. */
function withDetails(todo: string, details: RequestEvent['details']): string {
  const known = (details ?? {}) as Readonly<Record<string, unknown>>;
  const text = todo.replaceAll(/details\.(\w+)/g, (whole, name: string) => {
    const value = asJson(known[name]);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
  return text.replace(/^\w+ at most 0, or (\w)/, (_, first: string) => first.toUpperCase());
}

function verdict(event: RequestEvent): string[] {
  const { operation, status, code, message, details, faults } = event;
  const lines = faults.map(({ fault, phase, effect }) => `${fault} fired (${phase}): ${effect}.`);
  if (status === null) return [...lines, 'The response was lost: the connection ended without one.'];
  if (code === null) return [...lines, `It succeeded (${status}).`, ...repeatWords(event)];
  const why = message === null ? '.' : `: ${sentence(message)}`;
  lines.push(`It was refused with ${status} ${code}${why}${numberWords(details)}`);
  const reason = reasonOf(code, operation);
  if (reason !== null) {
    const [rule, todo] = reason;
    lines.push(`Rule ${rule}: ${RULES[rule]}`, `What to do: ${withDetails(todo, details)}`);
  } else if (faults.length > 0) {
    lines.push(
      'The fault caused this refusal, not a rule of the service.',
      'What to do: wait for the seconds in Retry-After, if it has one, and repeat the call with the same Idempotency-Key.',
    );
  } else if (/\/facilitator\/(verify|settle)$/.test(event.path))
    lines.push('What to do: correct what it names, and sign a new payment.');
  return lines;
}

function repeatWords({ repeats }: RequestEvent): string[] {
  if (repeats === undefined) return [];
  const first = repeats === null ? 'an earlier request' : `request ${repeats}`;
  return [
    `It repeated ${first} with the same Idempotency-Key: the response is its outcome, and nothing was done again.`,
  ];
}

function happened(event: SimEvent): string | null {
  const { body } = event;
  switch (body.kind) {
    case 'request':
      return null;
    case 'entry':
      return entryWords(body.entry);
    case 'transaction': {
      const { signature, slot, error } = body.record;
      return `Transaction ${signature} ${error === null ? 'ran' : `failed (${JSON.stringify(error)})`} in slot ${slot}.`;
    }
    case 'clock':
      return `The clock moved from ${isoOf(body.fromMs)} to ${isoOf(event.atMs)} (${body.how}).`;
    case 'fired':
      return `${body.event} ${body.subject ?? ''} fired at ${isoOf(event.atMs)}.`.replace('  ', ' ');
    case 'world':
      return `The world: ${body.what} ${body.id}.`;
  }
}

function callerWords({ interface: door, operation, wallet, code }: RequestEvent): string {
  if (door !== 'api') return '';
  if (wallet !== null) return ` by ${wallet}`;
  return reasonOf(code, operation)?.[0] === 'auth.token' ? ' without a valid token' : '';
}

/** Input as JSON, and the key. Texts longer than a signature (88), such as a payment request in base64, are cut. */
function inputWords({ input, idempotencyKey }: RequestEvent): string {
  const isEmpty = input === null || (Array.isArray(input) && input.length === 0);
  const short = (_: string, value: unknown) => (typeof value === 'string' ? shortText(value, 100) : value);
  const words = isEmpty ? '' : ` with ${JSON.stringify(input, short)}`;
  return idempotencyKey === undefined ? words : `${words}, Idempotency-Key ${JSON.stringify(idempotencyKey)}`;
}

const item = (line: string) => `- ${line}`;

/** The response's body. The body of a refusal is rebuilt from the event. */
function responseOf(
  { interface: door, status, code, message, details, answer }: RequestEvent,
  requestId: string,
): string | null {
  if (code === null || status === null || answer !== null) return answer;
  if (door === 'rpc') return JSON.stringify({ code, message });
  const more = door === 'api' ? { details: plain(details) ?? {} } : {};
  return JSON.stringify({ error: message, code, ...more, requestId });
}

/** Describes a request's input, its outcome and the rule that decided it, with the numbers. Null for no events. */
export function explain(requestId: string, log: EventLog): Explanation | null {
  const events = log.ofRequest(requestId);
  const answered = events.find(({ body }) => body.kind === 'request');
  if (events.length === 0) return null;
  const request = answered?.body.kind === 'request' ? answered.body : null;
  const lines: string[] = [];
  let rule: RuleId | null = null;
  if (request === null) lines.push(`Request ${requestId} is still in progress.`);
  else {
    const at = isoOf(answered?.atMs ?? 0);
    lines.push(
      `${request.method} ${request.path}${callerWords(request)} at ${at}${inputWords(request)}.`,
      ...verdict(request),
    );
    rule = reasonOf(request.code, request.operation)?.[0] ?? null;
  }
  const effectsOf = (of: readonly SimEvent[]) => of.map(happened).filter((line) => line !== null);
  const rollbacks = log.rollbacks();
  // Time does not go back.
  const isUndone = ({ seq, body }: SimEvent) =>
    body.kind !== 'clock' && rollbacks.some(({ after, before }) => after < seq && seq < before);
  const undone = effectsOf(events.filter(isUndone));
  const effects = effectsOf(events.filter((event) => !isUndone(event)));
  if (undone.length > 0)
    lines.push('What was rolled back, since the data folder could not be written:', ...undone.map(item));
  if (effects.length > 0) lines.push('What it did:', ...effects.map(item));
  else if (request?.code !== null || undone.length > 0) lines.push('Nothing was changed.');
  const text = lines.map(printable).join('\n');
  return {
    requestId,
    text,
    rule,
    answer: request && responseOf(request, requestId),
    events: events.map(eventJson),
  };
}
