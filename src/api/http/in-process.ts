import { BASE_PATH, type Endpoint, type EndpointId } from '../../contract/endpoints.js';
import { IN_PROCESS_ORIGIN } from '../../core/origins.js';
import { ok, refuse } from '../../core/domain/result.js';
import type { ApiRequest, ApiResponse } from '../pipeline/api-request.js';
import type { Service } from './service.js';
import { filledPath } from '../../contract/match-path.js';

/** A call of the service without HTTP: the parts of a request. */
export interface InProcessCall {
  readonly operation: EndpointId;
  /** The Authorization header, such as `Bearer <token>`. */
  readonly authorization?: string | null;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly key?: string | null;
}

const NOTHING: Readonly<Record<string, string>> = {};
/** The refusal of an empty body over HTTP. */
const NO_BODY = refuse('invalid_json', { reason: 'Unexpected end of JSON input' });

function requestOf(call: InProcessCall, { method, path }: Endpoint, mount: string): ApiRequest {
  const { authorization, params = NOTHING, query, body, key = null } = call;
  return {
    method,
    path: mount + BASE_PATH + filledPath(path, params['id']),
    authorization: authorization ?? undefined,
    params,
    text: () => (body === undefined ? null : JSON.stringify(body)),
    size: 0,
    hasQuery: query !== undefined,
    body: () => (body === undefined ? NO_BODY : ok(body)),
    query: () => query ?? NOTHING,
    key: () => key,
    origin: () => IN_PROCESS_ORIGIN + mount,
  };
}

/** The service for in-process callers: the checks, faults, log and responses of HTTP, several times as fast. */
export class InProcessApi {
  readonly #service: Service;
  readonly #mount: string;

  constructor(service: Service, mount: string) {
    this.#service = service;
    this.#mount = mount;
  }

  /**
   * Calls an operation. Amounts in the response's body are exact decimals with `toJSON`; `body` is null when
   * a fault has lost the response. Throws RangeError for an unknown operation.
   */
  call(call: InProcessCall): Promise<ApiResponse> {
    const endpoint = this.#service.endpoints[call.operation] as Endpoint | undefined;
    if (endpoint === undefined) throw new RangeError(`unknown operation ${call.operation}`);
    return this.#service.call(call.operation, requestOf(call, endpoint, this.#mount));
  }
}
