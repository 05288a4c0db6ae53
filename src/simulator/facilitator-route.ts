import type { Chain } from '../chain/chain.js';
import { type AnsweredRequest, arrived } from '../api/http/answered-request.js';
import { sentenceOf } from '../core/domain/errors.js';
import { keptText } from '../core/domain/short-text.js';
import { StorageUnavailable } from '../core/journal/storage-unavailable.js';
import type { KeyPair } from '../world/keys.js';
import type { Facilitator } from '../sdk/x402/facilitator/facilitator.js';
import { X402SdkMissing, loadSdk } from '../sdk/x402/facilitator/sdk.js';

const PREFIX = '/facilitator/';

/** Whether a URL is under the facilitator's path of the world at a mount. */
export function isFacilitator(url: string, mount: string): boolean {
  return url.startsWith(PREFIX, url.indexOf('/', url.indexOf('//') + 2) + mount.length);
}

/** What the facilitator needs from a world. */
export interface FacilitatorWorld {
  /** `null` on a cluster, which has its own facilitators. */
  readonly chain: Chain | null;
  readonly key: KeyPair;
  /** The prefix of every path. */
  readonly mount: string;
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  /** Resolves before a response may be sent; null when there is nothing to wait for. */
  readonly whenDurable: (rollbackCount?: number) => Promise<void> | null;
  /** Number of rollbacks to the durable state. */
  readonly rollbackCount: () => number;
  readonly onAnswer: (answered: AnsweredRequest) => void;
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The facilitator on the API's port. The SDK is optional and loaded on the first request. */
export class FacilitatorRoute {
  readonly #world: FacilitatorWorld;
  #made: Promise<Facilitator> | null = null;

  constructor(world: FacilitatorWorld) {
    this.#world = world;
  }

  /** Responds to a request under `/facilitator/`. */
  async answer(request: Request): Promise<Response> {
    const from = performance.now();
    const { mount, newRequestId, onAnswer } = this.#world;
    const { pathname } = new URL(request.url);
    const requestId = newRequestId();
    const name = pathname.slice(mount.length + PREFIX.length);
    const rollbackCount = this.#world.rollbackCount();
    const { response, code } = await this.#afterDurable(await this.#answer(request, name), rollbackCount);
    const known = arrived({ requestId, method: request.method, path: keptText(pathname) });
    onAnswer({ ...known, status: response.status, code, ms: performance.now() - from });
    response.headers.set('x-request-id', requestId);
    return response;
  }

  async #answer(request: Request, name: string): Promise<{ response: Response; code: string | null }> {
    const { chain } = this.#world;
    if (chain === null) {
      const code = 'not_on_a_cluster';
      const error =
        'This bank runs on a cluster, where it is no facilitator: use one that serves that cluster.';
      return { response: Response.json({ error, code }, { status: 404 }), code };
    }
    this.#made ??= this.#load(chain);
    try {
      return (await this.#made).answer(name, request);
    } catch (error) {
      if (!(error instanceof X402SdkMissing)) throw error;
      // Retry: the SDK may be installed meanwhile.
      this.#made = null;
      const code = 'facilitator_not_installed';
      return { response: Response.json({ error: error.message, code }, { status: 503 }), code };
    }
  }

  /**
   * Returns the response once its effects are durable, or an error when they cannot be, or when the world was
   * rolled back since `rollbackCount`: a settlement waits for the chain, and may be lost meanwhile.
   */
  async #afterDurable(
    answer: { response: Response; code: string | null },
    rollbackCount: number,
  ): Promise<{ response: Response; code: string | null }> {
    try {
      await this.#world.whenDurable(rollbackCount);
      return answer;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      const code = 'storage_unavailable';
      return { response: Response.json({ error: sentenceOf({ code }), code }, { status: 500 }), code };
    }
  }

  async #load(chain: Chain): Promise<Facilitator> {
    const [{ Facilitator: Made }, sdk] = await Promise.all([
      import('../sdk/x402/facilitator/facilitator.js'),
      loadSdk(),
    ]);
    const { key, inWorld } = this.#world;
    return new Made(sdk, { chain, key, inWorld, wait: timer });
  }
}
