import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import type { Variants } from '../../../core/domain/variants.js';
import type { Args, Json } from '../step.js';
import type { DryRunStep } from './dry-run.js';
import type { References, WrittenStep } from './scenario-references.js';
import { VERB_NAMES } from '../../scenario/verb-names.js';
import { isObject } from '../../../core/json.js';
import { filledPath } from '../../../contract/match-path.js';

/** Members of a step other than its call. */
const BESIDE = ['expect', 'save', 'note'];
// Characters that a header may contain: printable Latin-1, without spaces at the ends.
const HEADER = /^(?! )[\u0020-\u007e\u00a0-\u00ff]*(?<! )$/;

/** A call that a scenario cannot make; the message gives the reason. */
export class InexpressibleStep extends Error {
  override readonly name = 'CannotSay';
}

/** A call in the notation of a step. */
export interface WrittenCall {
  readonly do: EndpointId;
  readonly by: string | undefined;
  readonly with: Args;
}

interface Parts {
  readonly body: Json | undefined;
  readonly query: Readonly<Record<string, string>>;
  readonly id: string | undefined;
  readonly auth: string | undefined;
}

function headerText(text: string, at: DryRunStep, references: References): string {
  const { text: said, isHard } = references.meaning(text, at);
  if (isHard || !HEADER.test(said))
    throw new InexpressibleStep(`a header cannot hold ${JSON.stringify(text)}`);
  return said;
}

/** JSON in ASCII, escaped so that only real references are read as references. */
function asText(body: Json, at: DryRunStep, references: References): string {
  const said = JSON.stringify(body, (name, value: unknown) => {
    if (name.includes('${')) throw new InexpressibleStep(`a member cannot be called ${JSON.stringify(name)}`);
    if (typeof value !== 'string') return value;
    const { text, isHard } = references.meaning(value, at);
    return isHard ? text.replaceAll('${', '\u0000{') : text;
  });
  return said
    .replaceAll('\\u0000{', '\\u0024{')
    .replaceAll(/[^\u0020-\u007e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes service calls as steps: as verbs, or as raw requests where a verb would behave differently. */
export class CallWriter {
  readonly #table: Readonly<Record<EndpointId, Endpoint>>;
  readonly #references: References;

  constructor(variants: Variants, references: References) {
    this.#table = endpoints(variants);
    this.#references = references;
  }

  /** The step of a call. Throws InexpressibleStep. */
  step(call: WrittenCall, at: DryRunStep): WrittenStep {
    const {
      params,
      query = {},
      body,
      auth,
      key,
    } = call.with as {
      params?: { id?: string };
      query?: Record<string, string>;
      body?: Json;
      auth?: string;
      key?: string;
    };
    const parts: Parts = { body, query, id: params?.id, auth };
    const members = key === undefined ? {} : { key: headerText(key, at, this.#references) };
    if (call.by !== undefined) this.#references.agents.add(call.by);
    return { ...(this.#byVerb(call, parts, at) ?? this.#byRequest(call, parts, at)), ...members };
  }

  /** The call as a verb; null where the verb would behave differently. */
  #byVerb({ do: id, by }: WrittenCall, parts: Parts, at: DryRunStep): WrittenStep | null {
    const { method, auth } = this.#table[id];
    const { body, query } = parts;
    const references = this.#references;
    if (by === undefined || (auth !== 'none' && !this.#usesOwnToken(by, parts, at))) return null;
    const given = method === 'GET' ? query : body;
    const other = method === 'GET' ? body : Object.keys(query)[0];
    if (!isObject(given) || other !== undefined || references.isHard(given, at)) return null;
    // Without these members the verbs do more, or insert values.
    if (id === 'deposit' && given['tx_signature'] === undefined) return null;
    if (id === 'challenge' && given['wallet'] === undefined) return null;
    const inPath = parts.id === undefined ? {} : { id: references.json(parts.id, at) };
    if ([...BESIDE, ...Object.keys(inPath)].some((name) => Object.hasOwn(given, name))) return null;
    return { [`${by}.${VERB_NAMES[id]}`]: { ...inPath, ...(references.json(given, at) as object) } };
  }

  /** Whether the scenario's agent would use the same token, and it is valid. */
  #usesOwnToken(by: string, { auth }: Parts, { tokens }: DryRunStep): boolean {
    const token = tokens.get(by);
    return auth === undefined && token?.isGood === true && this.#references.ownTokens.get(by) === token.name;
  }

  #byRequest({ do: id, by }: WrittenCall, parts: Parts, at: DryRunStep): WrittenStep {
    const { method } = this.#table[id];
    const authorization = this.#authorization(by, parts, at);
    const isOwn = authorization !== null && authorization === `Bearer \${${by}.token}`;
    return {
      [isOwn ? `${by}.call` : 'call']: {
        ...(method === 'GET' ? {} : { method }),
        path: this.#pathOf(id, parts, at),
        ...(isOwn || authorization === null ? {} : { headers: { authorization } }),
        ...this.#bodyOf(parts, at),
      },
    };
  }

  #authorization(by: string | undefined, { auth }: Parts, at: DryRunStep): string | null {
    if (auth === 'none') return null;
    if (auth !== undefined) return headerText(auth, at, this.#references);
    if (by === undefined || !at.tokens.has(by)) return null;
    return headerText(`Bearer \${${by}.token}`, at, this.#references);
  }

  #pathOf(id: EndpointId, parts: Parts, at: DryRunStep): string {
    const references = this.#references;
    const { text, isHard } = references.meaning(parts.id ?? '', at);
    const isReference = text.startsWith('${') && !isHard;
    const path = filledPath(this.#table[id].path, isReference ? text : encodeURIComponent(text));
    const search = Object.entries(parts.query).map(([name, value]) => {
      const said = references.meaning(value, at);
      const isWhole = said.text.startsWith('${') && !said.isHard;
      return `${encodeURIComponent(name)}=${isWhole ? said.text : encodeURIComponent(said.text)}`;
    });
    return search.length === 0 ? path : `${path}?${search.join('&')}`;
  }

  #bodyOf({ body }: Parts, at: DryRunStep): object {
    if (body === undefined) return {};
    const references = this.#references;
    return references.isHard(body, at)
      ? { text: asText(body, at, references) }
      : { body: references.json(body, at) };
  }
}
