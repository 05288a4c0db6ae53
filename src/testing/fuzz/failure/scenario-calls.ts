import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { filledPath } from '../../../contract/match-path.js';
import type { Variants } from '../../../core/domain/variants.js';
import { type WrittenStep, rawCall, verbCall } from '../../scenario/file/write.js';
import { referencesIn } from '../../scenario/references.js';
import type { CallArgs, Json, Step } from '../step.js';
import { InexpressibleStep, type References } from './scenario-references.js';

// Characters that a header may contain: printable Latin-1, without spaces at the ends.
const HEADER = /^(?! )[\u0020-\u007e\u00a0-\u00ff]*(?<! )$/;

function header(text: string, references: References): string {
  const said = references.text(text);
  if (!HEADER.test(said)) throw new InexpressibleStep(`a header cannot contain ${JSON.stringify(text)}`);
  return said;
}

/** Whether the scenario's agent would use the same token, and the token is valid. */
function usesOwnToken(by: string, auth: string | undefined, references: References): boolean {
  const token = references.tokens.get(by);
  return auth === undefined && token?.isGood === true && references.ownTokens.get(by) === token.name;
}

function authorizationOf({ by, with: args }: Step, references: References): string | null {
  const { auth } = args as CallArgs;
  if (auth === 'none') return null;
  if (auth !== undefined) return header(auth, references);
  return by === undefined || !references.tokens.has(by) ? null : header(`Bearer \${${by}.token}`, references);
}

function request(
  step: Step,
  { method, path }: Endpoint,
  parts: Parameters<typeof rawCall>[2],
  references: References,
) {
  const { by, with: args } = step;
  const { params: { id = '' } = {} } = args as CallArgs;
  const authorization = authorizationOf(step, references);
  const isOwn = authorization !== null && authorization === `Bearer \${${by}.token}`;
  const said = references.text(id);
  const inPath = referencesIn(said).length > 0 ? said : encodeURIComponent(id);
  const headers = isOwn || authorization === null ? {} : { headers: { authorization } };
  return rawCall(isOwn ? (by ?? null) : null, { method, path: filledPath(path, inPath) }, parts, headers);
}

/** Writes a call as a step: as a verb, or as a raw request where a verb behaves differently. Throws InexpressibleStep. */
export function callStep(step: Step, variants: Variants, references: References): WrittenStep {
  const id = step.do as EndpointId;
  const { by } = step;
  const endpoint: Endpoint = endpoints(variants)[id];
  const { auth, key, params = {}, query, body, spelling } = step.with as CallArgs;
  const parts = {
    params: references.json(params) as Record<string, Json>,
    ...(query === undefined ? {} : { query: references.json(query) as Record<string, Json> }),
    ...(body === undefined ? {} : { body: references.json(body) }),
  };
  // A scenario writes requests in one notation; all others have the same meaning.
  if (spelling === 'overfull') throw new InexpressibleStep('a scenario does not pad its requests');
  if (spelling === 'infinite') throw new InexpressibleStep('a scenario has no infinite numbers');
  const isVerb = by !== undefined && (endpoint.auth === 'none' || usesOwnToken(by, auth, references));
  const { title, args: said } =
    (isVerb ? verbCall(by, id, endpoint, parts) : null) ?? request(step, endpoint, parts, references);
  return { [title]: said, ...(key === undefined ? {} : { key: header(key, references) }) };
}
