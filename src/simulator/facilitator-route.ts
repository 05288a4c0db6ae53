import { setTimeout } from 'node:timers/promises';
import type { Chain } from '../chain/chain.js';
import { LOGGED_ANSWER, PendingRequest } from '../api/pipeline/pending-request.js';
import type { RequestPipeline } from '../api/pipeline/pipeline.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { messageOf } from '../core/domain/errors.js';
import { keptText } from '../core/domain/short-text.js';
import { StorageUnavailable } from '../core/journal/storage-unavailable.js';
import { Facilitator, type FacilitatorAnswer, refused } from '../sdk/x402/facilitator/facilitator.js';
import type { SettlementParts } from '../sdk/x402/facilitator/signer.js';
import { X402SdkMissing, loadSdk } from '../sdk/x402/facilitator/sdk.js';

/** The path of a world's facilitator, after its mount. */
export const FACILITATOR_PREFIX = '/facilitator/';

export interface FacilitatorWorld extends Pick<SettlementParts, 'key' | 'scheduler'> {
  /** `null` on a cluster, which has its own facilitators. */
  readonly chain: Chain | null;
  /** The prefix of every path. */
  readonly mount: string;
  readonly pipeline: RequestPipeline;
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
    const { mount, pipeline } = this.#world;
    const { pathname } = new URL(request.url);
    const requestId = pipeline.newRequestId('fac');
    const { method } = request;
    const pending = new PendingRequest<Response>({
      requestId,
      interface: 'api',
      method,
      path: keptText(pathname),
    });
    const render = ({ response, code, message, body, payment: input }: FacilitatorAnswer): Response => {
      const answer = pipeline.keepsAnswers ? keptText(JSON.stringify(body), LOGGED_ANSWER) : null;
      Object.assign(pending.record, { status: response.status, code, message, input, answer });
      response.headers.set('x-request-id', requestId);
      return response;
    };
    return pipeline.answer(pending, {
      enter: () => ({
        isRead: false,
        takesLock: true,
        // A settlement waits for the chain, and may be lost meanwhile.
        countsRollbacks: true,
        run: (cause) =>
          this.#answer(request, pathname.slice(mount.length + FACILITATOR_PREFIX.length), cause),
      }),
      render: (answer) => render(answer as FacilitatorAnswer),
      fail: (error) => {
        if (!(error instanceof StorageUnavailable)) throw error;
        const code = 'storage_unavailable';
        return render(refused(500, code, messageOf({ code })));
      },
    });
  }

  async #answer(request: Request, name: string, cause: RequestContext): Promise<FacilitatorAnswer> {
    const { chain } = this.#world;
    if (chain === null)
      return refused(
        404,
        'not_on_a_cluster',
        'This bank runs on a cluster and does not serve a facilitator: use a facilitator of that cluster.',
      );
    const { key, scheduler } = this.#world;
    this.#made ??= loadSdk().then((sdk) => new Facilitator(sdk, { chain, key, scheduler, wait: setTimeout }));
    try {
      return (await this.#made).answer(name, request, cause);
    } catch (error) {
      if (!(error instanceof X402SdkMissing)) throw error;
      // Retry: the SDK may be installed meanwhile.
      this.#made = null;
      return refused(503, 'facilitator_not_installed', error.message);
    }
  }
}
