import { session } from '../session.js';
import { type Token, amountText, instantText, shortId, wordsText } from '../text/format.js';
import { type ViewName, type Route, pathOf } from '../text/routes.js';
import { type ComponentChildren, Fragment } from 'preact';

interface LinkProps {
  readonly to: ViewName;
  readonly id?: string | number;
  readonly query?: Route['query'];
  /** The id, unless it is given. */
  readonly text?: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly current?: boolean;
}

/** A link to a view that changes the page without a reload. */
export function Link({ to, id, query = {}, text = id, current, ...rest }: LinkProps) {
  const route = { view: to, id: id === undefined ? null : String(id), query };
  return (
    <a
      {...rest}
      href={pathOf(session.mount, route)}
      aria-current={current === true ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        session.go(route);
      }}
    >
      {text}
    </a>
  );
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      session.toast('Copied.');
    } catch {
      session.toast('The browser does not allow this page to copy.', 'failed');
    }
  };
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true">
        <path d="M5.5 5.5h8v8h-8zM10.5 5V2.5h-8v8H5" fill="none" stroke="currentColor" stroke-width="1.3" />
      </svg>
    </button>
  );
}

interface IdProps {
  readonly id: string | null;
  readonly to?: ViewName;
  readonly isWhole?: boolean;
  readonly canCopy?: boolean;
  readonly none?: string;
}

/** An id, shortened in the middle, with the whole id on hover; a link when a view shows it. */
export function Id({ id, to, isWhole = false, canCopy = false, none = '' }: IdProps) {
  if (id === null) return <span class="quiet">{none}</span>;
  const text = isWhole ? id : shortId(id);
  return (
    <span class={`id ${isWhole ? 'whole' : ''}`}>
      {to === undefined ? (
        <span class="mono" title={id}>
          {text}
        </span>
      ) : (
        <Link to={to} id={id} class="mono" title={id} text={text} />
      )}
      {canCopy ? <CopyButton text={id} label={`Copy ${id}`} /> : null}
    </span>
  );
}

export function Amount({ value, token }: { readonly value: number; readonly token: Token }) {
  return (
    <span>
      {amountText(value, token)} <span class="unit">{token}</span>
    </span>
  );
}

interface LineProps {
  readonly text: string;
  readonly class?: string;
}

/** A text of one line, cut where there is no more room. */
export function Line({ text, class: kind = '' }: LineProps) {
  return (
    <span class={`quiet ${kind}`} title={text}>
      {text}
    </span>
  );
}

/** An instant of the world's clock; a dash for null. */
export function When({ at, withMs = false }: { readonly at: string | null; readonly withMs?: boolean }) {
  if (at === null) return <>–</>;
  return (
    <time class="mono" dateTime={at} title={at}>
      {instantText(at, withMs)}
    </time>
  );
}

/** Refusals after which the agent signs in again: they occur in every long session. */
export const RENEWED = 'token_expired';

interface OutcomeProps {
  readonly status: number | null;
  readonly code: string | number | null;
}

export function Outcome({ status, code }: OutcomeProps) {
  if (status === null) return <span class="badge warn">{code ?? 'response lost'}</span>;
  if (code === null) return <span class="badge good">{status}</span>;
  return (
    <span class={`badge ${code === RENEWED ? '' : 'bad'}`}>
      {status} {code}
    </span>
  );
}

const KIND_BADGES: Readonly<Record<string, string>> = {
  completed: 'good',
  active: 'accent',
  repaid: 'good',
  pending: 'warn',
  pending_review: 'warn',
  overdue: 'warn',
  failed: 'bad',
  denied: 'bad',
  defaulted: 'bad',
};

export function Status({ of }: { readonly of: string }) {
  return <span class={`badge ${KIND_BADGES[of] ?? ''}`}>{wordsText(of)}</span>;
}

const KIND_COLOURS: Readonly<Record<string, string>> = {
  api: 'accent',
  entry: 'good',
  fired: 'warn',
  clock: 'warn',
  world: 'warn',
};

export function Kind({ of }: { readonly of: string }) {
  return <span class={`kind ${KIND_COLOURS[of] ?? ''}`}>{of}</span>;
}

/** JSON as text, formatted when it is complete. */
export function JsonText({ text }: { readonly text: string }) {
  try {
    return <Json value={JSON.parse(text)} />;
  } catch {
    return <pre tabIndex={0}>{text}</pre>;
  }
}

export function Json({ value }: { readonly value: unknown }) {
  // A focusable region, so that it can be scrolled by keyboard.
  return <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>;
}

type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A text as it is, any other value as JSON. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function Members({ of }: { readonly of: object }) {
  return (
    <Facts
      rows={Object.entries(of).map(([name, value]) => [name, <span class="mono">{textOf(value)}</span>])}
    />
  );
}
