export const VIEWS = {
  overview: 'Overview',
  agents: 'Agents',
  loans: 'Loans',
  journal: 'Journal',
  timeline: 'Timeline',
  requests: 'Request',
  x402: 'x402',
  transactions: 'Chain',
  accounts: 'Account',
  faults: 'Faults',
  worlds: 'Worlds',
  compare: 'Compare',
} as const;
export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** Words that find a view, in addition to its name. */
const NEAR_NAMES: Partial<Record<ViewName, readonly string[]>> = {
  overview: ['home'],
  agents: ['wallets', 'customers'],
  loans: ['credit', 'reviews'],
  journal: ['books', 'entries', 'entry'],
  timeline: ['events', 'logs'],
  x402: ['payments'],
  transactions: ['chain', 'txs'],
  worlds: ['forks', 'snapshots', 'states', 'recordings'],
};

/** The view of a name in any spelling, also in the singular; undefined when no view's name is similar. */
function viewOf(given: string): ViewName | undefined {
  const names = [given.toLowerCase(), `${given.toLowerCase()}s`];
  return VIEW_NAMES.find((view) => [view, ...(NEAR_NAMES[view] ?? [])].some((name) => names.includes(name)));
}

/** A view with the id of one thing or none, and its filters. */
export interface Route {
  readonly view: ViewName;
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** The prefix of the world in a path: empty, or `/w/fork-1`. */
export function mountOf(pathname: string): string {
  return /^\/w\/[^/]+/.exec(pathname)?.[0] ?? '';
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The route of an address; null for a path that no view has. */
export function routeOf(pathname: string, search: string): Route | null {
  const rest = pathname.slice(mountOf(pathname).length).replace(/^\/inspector(?=\/|$)/, '');
  const [name = '', id = '', ...more] = rest.split('/').filter((part) => part !== '');
  const view = name === '' ? 'overview' : viewOf(name);
  if (view === undefined || more.length > 0) return null;
  return { view, id: id === '' ? null : decoded(id), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Members as a query, `?token=USDC`; empty when there are none. */
export function queryText(members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

export function pathOf(mount: string, { view, id, query }: Route): string {
  const path = view === 'overview' && id === null ? '' : view;
  return `${mount}/inspector/${path}${id === null ? '' : `/${encodeURIComponent(id)}`}${queryText(query)}`;
}
