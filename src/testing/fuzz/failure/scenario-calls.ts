import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { filledPath } from '../../../contract/match-path.js';
import type { Variants } from '../../../core/domain/variants.js';
import { type WrittenStep, rawCall, verbCall } from '../../scenario/file/write.js';
import { referencesIn } from '../../scenario/references.js';
import type { CallArgs, Json, Step } from '../step.js';
import { InexpressibleStep, type References } from './scenario-references.js';

// Characters that a header may contain: printable Latin-1, without spaces at the ends.
const HEADER = /^(?! )[\u0020-\u007e\u00a0-\u00ff]*(?<! )$/;

/** Writes service calls as steps: as verbs, or as raw requests where a verb behaves differently. */
export class CallWriter {
  readonly #table: Readonly<Record<EndpointId, Endpoint>>;
  readonly #references: References;

  constructor(variants: Variants, references: References) {
    this.#table = endpoints(variants);
    this.#references = references;
  }

  /** The step of a call. Throws InexpressibleStep. */
  step(step: Step): WrittenStep {
    const id = step.do as EndpointId;
    const { by } = step;
    const endpoint = this.#table[id];
    const { auth, key, params = {}, query, body, spelling } = step.with as CallArgs;
    const parts = {
      params: this.#references.json(params) as Record<string, Json>,
      ...(query === undefined ? {} : { query: this.#references.json(query) as Record<string, Json> }),
      ...(body === undefined ? {} : { body: this.#references.json(body) }),
    };
    // A scenario writes requests in one notation; all others have the same meaning.
    if (spelling === 'overfull') throw new InexpressibleStep('a scenario does not pad its requests');
    if (spelling === 'infinite') throw new InexpressibleStep('a scenario has no infinite numbers');
    const isVerb = by !== undefined && (endpoint.auth === 'none' || this.#usesOwnToken(by, auth));
    const { title, args: said } =
      (isVerb ? verbCall(by, id, endpoint, parts) : null) ??
      this.#request({ by, auth, id: params['id'] }, endpoint, parts);
    return { [title]: said, ...(key === undefined ? {} : { key: this.#header(key) }) };
  }

  /** Whether the scenario's agent would use the same token, and the token is valid. */
  #usesOwnToken(by: string, auth: string | undefined): boolean {
    const token = this.#references.tokens.get(by);
    return auth === undefined && token?.isGood === true && this.#references.ownTokens.get(by) === token.name;
  }

  #request(
    { by, auth, id = '' }: { by: string | undefined; auth: string | undefined; id: string | undefined },
    { method, path }: Endpoint,
    parts: Parameters<typeof rawCall>[2],
  ) {
    const authorization = this.#authorization(by, auth);
    const isOwn = authorization !== null && authorization === `Bearer \${${by}.token}`;
    const said = this.#references.text(id);
    const inPath = referencesIn(said).length > 0 ? said : encodeURIComponent(id);
    const headers = isOwn || authorization === null ? {} : { headers: { authorization } };
    return rawCall(isOwn ? (by ?? null) : null, { method, path: filledPath(path, inPath) }, parts, headers);
  }

  #authorization(by: string | undefined, auth: string | undefined): string | null {
    if (auth === 'none') return null;
    if (auth !== undefined) return this.#header(auth);
    return by === undefined || !this.#references.tokens.has(by)
      ? null
      : this.#header(`Bearer \${${by}.token}`);
  }

  #header(text: string): string {
    const said = this.#references.text(text);
    if (!HEADER.test(said)) throw new InexpressibleStep(`a header cannot contain ${JSON.stringify(text)}`);
    return said;
  }
}
