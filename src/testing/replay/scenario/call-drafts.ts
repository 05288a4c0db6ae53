import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { VERB_NAMES } from '../../scenario/verb-names.js';
import type { CallLine } from '../../../api/recorder/format.js';
import type { AgentNames } from './agent-names.js';
import type { StepDraft } from './step-draft.js';
import { isObject } from '../../../core/json.js';
import { filledPath } from '../../../contract/match-path.js';

const TABLE: Readonly<Record<string, Endpoint>> = endpoints(DEFAULT_VARIANTS);

const TOO_LARGE = 70_000;

/** A call that no verb can make, as a raw request. */
function request({ operation, params, query, body, text, tooLarge }: CallLine, headers: object): object {
  const { method, path } = TABLE[operation] as Endpoint;
  return {
    method,
    path: filledPath(path, params?.['id']),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(text === undefined ? {} : { text }),
    ...(tooLarge === undefined ? {} : { repeated: { text: 'x', times: TOO_LARGE } }),
    ...headers,
  };
}

/** An invalid token, as headers. */
function wrongHeaders(auth: string | undefined): object {
  if (auth === undefined) return {};
  return { headers: { authorization: auth === 'wrong' ? 'Bearer wrong' : auth } };
}

/** The step of a call, or why it has none. Sign-ins have none: agents sign in automatically. */
export function callDraft(line: CallLine, number: number, agentNames: AgentNames): StepDraft | string {
  const { operation, who, auth, answer, key, at } = line;
  if (line.brokenOff === true) return 'its body broke off on the way';
  const endpoint = TABLE[operation];
  if (endpoint === undefined) return `there is no operation ${operation}`;
  if (operation === 'challenge' || operation === 'verify') return 'agents sign in by themselves';
  const code = isObject(answer?.body) ? answer.body['code'] : undefined;
  if (auth === 'expired' || code === 'token_expired') return 'agents renew tokens that have expired';
  const base = {
    number,
    atMs: at,
    told: answer === null ? null : { status: answer.status, body: answer.body },
    isRead: endpoint.method === 'GET',
    saves: new Map<string, string>(),
    ...(key === undefined ? {} : { key }),
  };
  const agent = agentNames.of(who);
  const hasToken = auth?.startsWith('<') === true;
  if (agent === undefined || !hasToken)
    return { ...base, isRead: true, title: 'call', args: request(line, wrongHeaders(auth)) };
  const isPlain = line.text === undefined && line.tooLarge === undefined;
  if (!isPlain || (line.body !== undefined && !isObject(line.body)))
    return { ...base, title: `${agent}.call`, args: request(line, {}) };
  const args = { ...line.params, ...line.query, ...(line.body as object | undefined) };
  return { ...base, title: `${agent}.${VERB_NAMES[operation as EndpointId]}`, args };
}
