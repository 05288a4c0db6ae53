import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { rawCall, verbCall } from '../../scenario/file/write.js';
import { isName } from '../../../api/recorder/id-aliases.js';
import type { CallLine } from '../../../api/recorder/format.js';
import type { AgentNames } from './agent-names.js';
import { type StepDraft, draftOf } from './step-draft.js';
import { isObject } from '../../../core/json.js';
import { filledPath } from '../../../contract/match-path.js';

const TABLE: Readonly<Record<string, Endpoint>> = endpoints(DEFAULT_VARIANTS);

const TOO_LARGE = 70_000;

function wrongHeaders(auth: string | undefined): object {
  if (auth === undefined) return {};
  return { headers: { authorization: auth === 'wrong' ? 'Bearer wrong' : auth } };
}

/** The step of a call, or why it has none. Sign-ins have none: agents sign in automatically. */
export function callDraft(line: CallLine, number: number, agentNames: AgentNames): StepDraft | string {
  const { operation, who, auth, answer, key, at, params, text, tooLarge } = line;
  if (line.brokenOff === true) return 'its body broke off on the way';
  const endpoint = TABLE[operation];
  if (endpoint === undefined) return `there is no operation ${operation}`;
  if (operation === 'challenge' || operation === 'verify') return 'agents sign in by themselves';
  const code = isObject(answer?.body) ? answer.body['code'] : undefined;
  if (auth === 'expired' || code === 'token_expired') return 'agents renew tokens that have expired';
  const agent = auth?.startsWith('<') === true ? (agentNames.of(who) ?? null) : null;
  const more = {
    ...(text === undefined ? {} : { text }),
    ...(tooLarge === undefined ? {} : { repeated: { text: 'x', times: TOO_LARGE } }),
  };
  const isVerb = agent !== null && Object.keys(more).length === 0;
  const id = params?.['id'] ?? '';
  const path = filledPath(endpoint.path, isName(id) ? id : encodeURIComponent(id));
  const action =
    (isVerb ? verbCall(agent, operation as EndpointId, endpoint, line) : null) ??
    rawCall(agent, { ...endpoint, path }, line, agent === null ? { ...more, ...wrongHeaders(auth) } : more);
  return draftOf({ number, atMs: at }, action, {
    told: answer,
    isRead: agent === null || endpoint.method === 'GET',
    ...(key === undefined ? {} : { key }),
  });
}
