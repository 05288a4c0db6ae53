import { type Endpoint, endpoints } from '../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { rawCall, verbCall } from '../../testing/scenario/file/write.js';
import { isName } from '../id-aliases.js';
import type { CallLine } from '../schema.js';
import type { AgentNames } from './agent-names.js';
import { type LineAction, SIGN_IN } from './step-draft.js';
import { isObject } from '../../core/json.js';
import { filledPath } from '../../contract/match-path.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

const TOO_LARGE = 70_000;
const NO_JSON = '{';

/** The step of a call, or why it has none: agents sign in automatically. */
export function callDraft(line: CallLine, agentNames: AgentNames): LineAction | string {
  const { operation, who, auth, response, key, params, unparsed, tooLarge } = line;
  if (line.brokenOff === true) return 'its body ended before it was complete';
  if (line.inFlight === true) return 'the recording ended before its response';
  const endpoint: Endpoint = TABLE[operation];
  const signsIn = operation === 'verify' && response?.status === 200 ? agentNames.of(who) : undefined;
  if (signsIn !== undefined) return { title: `${signsIn}${SIGN_IN}`, args: {} };
  if (operation === 'challenge' || operation === 'verify') return 'agents sign in automatically';
  const code = isObject(response?.body) ? response.body['code'] : undefined;
  if (auth === 'expired' || code === 'token_expired') return 'agents renew expired tokens automatically';
  const agent = auth?.startsWith('<') === true ? (agentNames.of(who) ?? null) : null;
  const wrongAuth = auth === 'wrong' ? 'Bearer wrong' : auth;
  const more = {
    ...(unparsed === undefined ? {} : { text: NO_JSON }),
    ...(tooLarge === undefined ? {} : { repeated: { text: 'x', times: TOO_LARGE } }),
    ...(agent !== null || auth === undefined ? {} : { headers: { authorization: wrongAuth } }),
  };
  const isVerb = agent !== null && Object.keys(more).length === 0;
  const id = params?.['id'] ?? '';
  const path = filledPath(endpoint.path, isName(id) ? id : encodeURIComponent(id));
  const action =
    (isVerb ? verbCall(agent, operation, endpoint, line) : null) ??
    rawCall(agent, { ...endpoint, path }, line, more);
  const isRead = agent === null || endpoint.method === 'GET';
  return { ...action, told: response, isRead, ...(key === undefined ? {} : { key }) };
}
