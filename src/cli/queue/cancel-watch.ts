import type { QueuedCampaigns } from './campaigns.js';

/** How often it is looked whether a campaign was cancelled. */
const LOOK_MS = 1_000;

/** Watches for `sim campaign cancel`. */
export class CancelWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(campaigns: QueuedCampaigns, name: string, onTrouble: (error: Error) => void) {
    const look = async () => {
      try {
        const now = await campaigns.find(name);
        if (now?.status === 'cancelled') this.#controller.abort();
      } catch (error) {
        onTrouble(error as Error);
      }
    };
    this.#timer = setInterval(() => void look(), LOOK_MS);
  }

  /** Aborted when the campaign is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
