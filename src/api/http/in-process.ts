import { BASE_PATH, type Endpoint, type EndpointId } from '../../contract/endpoints.js';
import { type Result, ok, refuse } from '../../core/domain/result.js';
import type { ApiRequest, ApiResponse } from '../pipeline/api-request.js';
import type { Service } from './service.js';
import { filledPath } from '../../contract/match-path.js';

/** A call of the service without HTTP: the parts of a request. */
export interface InProcessCall {
  readonly operation: EndpointId;
  /** The Authorization header, such as `Bearer <token>`. */
  readonly authorization?: string | null;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string | null;
}

const NOTHING = {};
/** The refusal of an empty body over HTTP. */
const NO_BODY = refuse('invalid_json', { reason: 'Unexpected end of JSON input' });
const ORIGIN = 'http://sim.local';

class InProcessRequest implements ApiRequest {
  readonly #call: InProcessCall;
  readonly #mount: string;
  readonly #endpoint: Endpoint;

  constructor(call: InProcessCall, endpoint: Endpoint, mount: string) {
    this.#call = call;
    this.#endpoint = endpoint;
    this.#mount = mount;
  }

  get method(): string {
    return this.#endpoint.method;
  }

  get path(): string {
    return this.#mount + BASE_PATH + filledPath(this.#endpoint.path, this.params['id']);
  }

  get authorization(): string | undefined {
    return this.#call.authorization ?? undefined;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#call.params ?? NOTHING;
  }

  text(): string | null {
    const { body } = this.#call;
    return body === undefined ? null : JSON.stringify(body);
  }

  get size(): number {
    return 0;
  }

  get hasQuery(): boolean {
    return this.#call.query !== undefined;
  }

  body(): Result<unknown> {
    const { body } = this.#call;
    return body === undefined ? NO_BODY : ok(body);
  }

  query(): Readonly<Record<string, string>> {
    return this.#call.query ?? NOTHING;
  }

  key(): string | null {
    return this.#call.key ?? null;
  }

  origin(): string {
    return ORIGIN + this.#mount;
  }
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
    return this.#service.call(call.operation, new InProcessRequest(call, endpoint, this.#mount));
  }
}
