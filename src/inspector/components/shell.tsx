import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, Form, Input } from './controls.js';
import { Link } from './values.js';
import { Problem } from './panel.js';
import { session } from '../session.js';
import { countedText, instantText } from '../text/format.js';
import { VIEWS, VIEW_NAMES, type ViewName } from '../text/routes.js';
import { useCommand } from '../use-command.js';

/** The navigation entries of views without an entry of their own. */
const SECTIONS: Partial<Record<ViewName, ViewName>> = {
  requests: 'timeline',
  accounts: 'transactions',
  compare: 'worlds',
};

function Navigation() {
  const view = session.route.value?.view;
  const current = view === undefined ? undefined : (SECTIONS[view] ?? view);
  return (
    <nav aria-label="Views">
      {VIEW_NAMES.filter((name) => SECTIONS[name] === undefined).map((name) => (
        <Link key={name} to={name} current={name === current} text={VIEWS[name]} />
      ))}
    </nav>
  );
}

const TICK_MS = 250;

/** The time of the world, which the page advances between two readings. */
function Clock() {
  const clock = session.clock.value;
  const [, tick] = useState(0);
  const factor = clock?.factor ?? 0;
  useEffect(() => {
    if (factor === 0) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [factor]);
  if (clock === null) return <span class="quiet">no clock yet</span>;
  const nowMs = Date.parse(clock.now) + (performance.now() - clock.readAtMs) * factor;
  const mode = { frozen: 'Frozen', real: 'Running', scaled: `Running × ${factor}` }[clock.mode];
  return (
    <span class="line">
      <time class="mono" dateTime={clock.now}>
        {instantText(new Date(nowMs).toISOString())}
      </time>
      <span class={`badge ${factor === 0 ? '' : 'accent'}`}>{mode}</span>
    </span>
  );
}

function BooksState() {
  const { data } = useCommand('invariants');
  if (data === null) return null;
  const count = data.violations.length;
  return (
    <Link
      to="overview"
      class={`badge ${count === 0 ? 'good' : 'bad'}`}
      text={count === 0 ? 'Books match chain' : `${countedText(count, 'rule')} violated`}
    />
  );
}

const STATES = {
  connecting: ['Connecting…', ''],
  live: ['Live', 'good'],
  lost: ['Disconnected', 'bad'],
  locked: ['Token needed', 'warn'],
  gone: ['World dropped', 'bad'],
} as const;

function ConnectionState() {
  const [text, kind] = STATES[session.connection.value];
  return (
    <span class={`badge ${kind}`} role="status" aria-label={`Connection: ${text}`}>
      <span aria-hidden="true">●</span> {text}
    </span>
  );
}

function ConnectionBanner() {
  const state = session.connection.value;
  if (state !== 'lost' && state !== 'gone') return null;
  return (
    <p class="banner line bad" role="alert">
      {state === 'lost' ? (
        <>
          The simulator does not respond. The page shows its last known state.
          <Button name="Try again" onClick={() => session.retry()} />
        </>
      ) : (
        <>
          This world is no longer served. <a href="/inspector/">Open the first world</a>
        </>
      )}
    </p>
  );
}

function TokenPrompt() {
  useEffect(() => document.querySelector('input')?.focus(), []);
  return (
    <main id="content">
      <h1>Control token</h1>
      <Form onSubmit={({ token = '' }: { token?: string }) => session.setToken(token)}>
        <p class="quiet">
          This simulator was started with <code>--control-token</code>. The page keeps the token until it is
          closed or reloaded, and does not store it.
        </p>
        <Input label="Token" name="token" type="password" isRequired />
        {session.control.token === null ? null : <Problem text="The simulator refuses this token." />}
        <Button name="Open" class="primary" />
      </Form>
    </main>
  );
}

const TOASTS = { done: 'good', failed: 'bad', note: '' } as const;

function Toasts() {
  return (
    <div class="toasts stack" role="status" aria-live="polite">
      {session.toasts.value.map((toast) => (
        <div key={toast.id} class={`banner ${TOASTS[toast.kind]}`}>
          <span>{toast.text}</span>
          <Button name="×" label="Dismiss" class="plain" onClick={() => session.dismiss(toast)} />
        </div>
      ))}
    </div>
  );
}

function ForkBar() {
  const { forkId, parent } = session;
  const mount = parent.value?.mount;
  if (forkId === null) return null;
  return (
    <p class="banner">
      You see the fork <b class="mono">{forkId}</b>, a separate world.{' '}
      {mount === undefined ? null : (
        <>
          <a href={`${mount}/inspector/compare?from=now&to=${encodeURIComponent(forkId)}`}>
            Compare with parent
          </a>
          {' · '}
          <a href={`${mount}/inspector/`}>{mount === '' ? 'First world' : `Parent ${mount.slice(3)}`}</a>
        </>
      )}
    </p>
  );
}

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const isLocked = session.connection.value === 'locked';
  return (
    <div class="shell">
      <header class="top">
        <a class="hidden-text" href="#content">
          Skip to content
        </a>
        {isLocked ? null : <Navigation />}
        <span class="line">
          {isLocked ? null : (
            <>
              <Clock />
              <BooksState />
            </>
          )}
          <ConnectionState />
        </span>
      </header>
      {isLocked ? (
        <TokenPrompt />
      ) : (
        <main id="content" tabIndex={-1}>
          <ForkBar />
          <ConnectionBanner />
          {children}
        </main>
      )}
      <Toasts />
    </div>
  );
}
