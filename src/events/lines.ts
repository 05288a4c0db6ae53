import { isoOf } from '../domain/calendar.js';
import type { Entry, Posting } from '../domain/entry.js';
import { amountOf } from '../domain/money.js';
import { type RequestEvent, type SimEvent, eventJson, plain } from './event.js';

const text = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

function requestMembers(body: RequestEvent): string {
  const { method, path, operation, wallet, status, input } = body;
  const asked = input === null ? 'null' : JSON.stringify(plain(input));
  return `"interface":"${body.interface}","method":"${method}","path":${JSON.stringify(path)},"operation":${text(operation)},"wallet":${text(wallet)},"status":${status},"code":null,"message":null,"details":null,"input":${asked},"faults":[]`;
}

function postingText({ account, owner, token, amountBase }: Posting): string {
  const owned = owner === null ? '' : `"owner":"${owner}",`;
  return `{"account":"${account}",${owned}"token":"${token}","amount":${amountOf(token, amountBase).toNumber()}}`;
}

function factsText(facts: Entry['facts']): string {
  let members = '';
  for (const [name, value] of Object.entries(facts) as [string, unknown][]) {
    const written =
      typeof value === 'bigint'
        ? `"${value}"`
        : JSON.stringify(typeof value === 'object' ? plain(value) : value);
    members += `${members === '' ? '' : ','}"${name}":${written}`;
  }
  return `{${members}}`;
}

function entryMembers({ seq, wallet, facts, postings }: Entry): string {
  return `"entry":${seq},"wallet":${text(wallet)},"facts":${factsText(facts)},"postings":[${postings.map(postingText).join(',')}]`;
}

/**
 * Events as lines of JSON, without their ends: the text of JSON.stringify(eventJson(event)), but for those that come with every
 * request three times as fast.
 */
export class EventLines {
  #atMs = Number.NaN;
  #at = '';

  of(event: SimEvent): string {
    const { seq, atMs, requestId, body } = event;
    if (body.kind !== 'entry' && (body.kind !== 'request' || body.code !== null || body.faults.length > 0))
      return JSON.stringify(eventJson(event));
    if (atMs !== this.#atMs) {
      this.#atMs = atMs;
      this.#at = isoOf(atMs);
    }
    const members = body.kind === 'entry' ? entryMembers(body.entry) : requestMembers(body);
    return `{"seq":${seq},"at":"${this.#at}","kind":"${body.kind}","requestId":${text(requestId)},${members}}`;
  }
}
