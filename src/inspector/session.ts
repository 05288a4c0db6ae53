import { signal } from '@preact/signals';
import type { CommandId } from '../api/control/commands.js';
import { type Answer, type Ask, Control, Refused } from './control/client.js';
import type { LoggedEvent } from './control/events.js';
import { EventFeed } from './control/feed.js';
import { Pacer } from './control/pacer.js';
import { type Route, mountOf, pathOf, routeOf } from './text/routes.js';

type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'gone';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed' | 'note';
  readonly text: string;
}

/** The message by which a page requests the token from its opener. */
const TOKEN_WANTED = 'inspector: token';

const TOAST_MS = 6_000;
/** The least time between two readings of a view's content. */
const REFRESH_MS = 400;
/** The interval at which a running clock is read. */
const SYNC_MS = 5_000;

/** Events after which nothing that is shown holds any more, and their messages. */
const REPLACED: Readonly<Record<string, (id: string) => string>> = {
  reverted: (id) => `The world was reverted to ${id}.`,
  imported: () => 'A state file has replaced the world.',
  rolled_back: () => 'The data folder could not be written: the world was rolled back.',
};

/** The world that the page shows, and the state of the page. */
class Session {
  readonly mount = mountOf(location.pathname);
  readonly control = new Control(this.mount);
  /**
   * The world that this fork was made from; undefined while it is unknown, null in the first world and when that world is no longer served.
   */
  readonly parent = signal<Control | null | undefined>(this.mount === '' ? null : undefined);
  readonly pacer = new Pacer();
  readonly connection = signal<Connection>('connecting');
  /** `null` for a path that no view has. */
  readonly route = signal<Route | null>(routeOf(location.pathname, location.search));
  readonly clock = signal<(Answer<'time'> & { readonly readAtMs: number }) | null>(null);
  /** Grows when the world has changed, at most as often as a view may be read again. */
  readonly changes = signal(0);
  /** Whether the timeline keeps the last event in view. */
  readonly isFollowing = signal(true);
  /** The scroll positions of lists by name, restored when a list is shown again. */
  readonly places = new Map<string, number>();
  readonly toasts = signal<readonly Toast[]>([]);
  #toasted = 0;
  readonly feed = new EventFeed(this.control, {
    onState: (state) => this.#connected(state),
    onEvents: (events) => this.#seen(events),
  });
  #isChanging = false;
  #hasAsked = false;

  constructor() {
    addEventListener('popstate', () => {
      this.route.value = routeOf(location.pathname, location.search);
    });
    this.control.onGone = () => {
      this.connection.value = 'gone';
    };
    this.control.onUnauthorized = () => {
      this.connection.value = 'locked';
      this.#askOpener();
    };
    addEventListener('message', (message: MessageEvent<unknown>) => this.#messaged(message));
    setInterval(() => this.#sync(), SYNC_MS);
    this.feed.start();
  }

  /** The id of the fork that the page shows; null for the first world. */
  get forkId(): string | null {
    return this.mount === '' ? null : this.mount.slice(3);
  }

  /** Shows a view; `replace` replaces the present entry of the browser's history. */
  go(route: Route, { replace = false } = {}): void {
    const path = pathOf(this.mount, route);
    if (replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
    const isOther = route.view !== this.route.value?.view || route.id !== this.route.value.id;
    this.route.value = route;
    if (isOther) scrollTo(0, 0);
  }

  /** Changes filters of the present view; empty ones are removed. */
  setQuery(changed: Readonly<Record<string, string>>): void {
    const route = this.route.value;
    if (route === null) return;
    const query = Object.fromEntries(
      Object.entries({ ...route.query, ...changed }).filter(([, value]) => value !== ''),
    );
    this.go({ ...route, query }, { replace: true });
  }

  setToken(token: string): void {
    this.control.token = token;
    this.retry();
  }

  retry(): void {
    this.connection.value = 'connecting';
    this.feed.retry();
  }

  toast(text: string, kind: Toast['kind'] = 'done'): void {
    const toast = { id: this.#toasted++, kind, text };
    this.toasts.value = [...this.toasts.value.slice(-3), toast];
    setTimeout(() => this.dismiss(toast), kind === 'failed' ? 2 * TOAST_MS : TOAST_MS);
  }

  dismiss(toast: Toast): void {
    this.toasts.value = this.toasts.value.filter((each) => each !== toast);
  }

  /** Runs an action and shows its outcome; undefined when it was refused. */
  async act<T>(work: () => Promise<T>, done: string | ((result: T) => string)): Promise<T | undefined> {
    try {
      const result = await work();
      this.toast(typeof done === 'string' ? done : done(result));
      this.changed();
      return result;
    } catch (error) {
      this.toast(error instanceof Refused ? error.message : String(error), 'failed');
      return undefined;
    }
  }

  /** Runs a command and shows its outcome; undefined when it was refused. */
  run<I extends CommandId>(
    command: I,
    ask: Ask<I> | undefined,
    done: string | ((answer: Answer<I>) => string),
  ): Promise<Answer<I> | undefined> {
    return this.act(() => this.control.do(command, ask), done);
  }

  /** Makes views read their content again. */
  changed(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    setTimeout(() => {
      this.#isChanging = false;
      this.changes.value += 1;
    }, REFRESH_MS);
  }

  async readClock(): Promise<void> {
    try {
      this.clock.value = { ...(await this.control.do('time')), readAtMs: performance.now() };
    } catch {
      // The connection's state says so.
    }
  }

  #connected(state: 'live' | 'lost'): void {
    const before = this.connection.value;
    const isRefused = before === 'locked' || before === 'gone';
    if (state === 'live' || !isRefused) this.connection.value = state;
    if (state !== 'live') return;
    const isBack = before === 'lost';
    // Views read by themselves what they show.
    if (isBack) this.toast('Connected again.', 'note');
    void this.readClock();
    if (this.forkId !== null) void this.#readParent();
  }

  /** Requests the token from the page that opened this one, once. */
  #askOpener(): void {
    const opener = window.opener as Window | null;
    if (this.#hasAsked || opener === null) return;
    this.#hasAsked = true;
    opener.postMessage(TOKEN_WANTED, location.origin);
  }

  /** Sends the token to pages of this origin, which are the simulator's own. It is not stored, and not part of any address. */
  #messaged({ origin, source, data }: MessageEvent<unknown>): void {
    if (origin !== location.origin || source === null) return;
    const { token } = this.control;
    if (data === TOKEN_WANTED && token !== null && this.connection.value === 'live')
      (source as Window).postMessage({ token }, location.origin);
    else if (source === window.opener && this.connection.value === 'locked') {
      const given = (data as { token?: unknown } | null)?.token;
      if (typeof given === 'string') this.setToken(given);
    }
  }

  async #readParent(): Promise<void> {
    try {
      const { forks } = await this.control.do('forks');
      const parent = forks.find(({ id }) => id === this.forkId)?.parent ?? null;
      const isServed = parent === null || forks.some(({ id }) => id === parent);
      this.parent.value = isServed ? this.control.of(parent === null ? '' : `/w/${parent}`) : null;
    } catch {
      // The connection's state says so.
    }
  }

  #sync(): void {
    const mode = this.clock.value?.mode;
    if (this.connection.value !== 'live' || document.hidden || mode === undefined || mode === 'frozen')
      return;
    void this.readClock();
    this.changed();
  }

  #seen(events: readonly LoggedEvent[]): void {
    this.changed();
    if (events.some(({ kind }) => kind === 'clock' || kind === 'world' || kind === 'fired'))
      void this.readClock();
    for (const event of events) {
      const text = event.kind === 'world' ? REPLACED[event.what]?.(event.id) : undefined;
      if (text === undefined) continue;
      this.pacer.hurry();
      this.changes.value += 1;
      this.toast(text, 'note');
    }
  }
}

/** The session of this page. */
export const session = new Session();
