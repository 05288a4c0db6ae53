import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../core/domain/errors.js';
import { REASONS, RULES, remedyOf } from '../core/domain/rules.js';
import { PACKAGE_ROOT } from '../core/package-root.js';
import type { ConnectionOptions } from './connection-options.js';
import type { WalletSession } from './wallet-session.js';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly read: () => string | Promise<string>;
  /** Whether an event may have changed the resource; by default none. */
  readonly isChangedBy?: (event: LoggedEvent) => boolean;
}

/** The members of a logged event that matter here. */
export interface LoggedEvent {
  readonly at: string;
  readonly kind: string;
  readonly wallet?: string | null;
  readonly method?: string;
}

const SHOWN_EVENTS = 100;
const SEARCHED_EVENTS = 1_000;

// Reading a resource is a request too, and must not announce a change.
function isRead({ kind, method }: LoggedEvent): boolean {
  return kind === 'request' && method === 'GET';
}

async function latestEvents({ backend, wallet }: WalletSession, isOwn: boolean): Promise<string> {
  const { last } = await backend.control.do('events', { query: { limit: 1 } });
  const query = {
    after: Math.max(0, last - SEARCHED_EVENTS),
    limit: SEARCHED_EVENTS,
    ...(isOwn ? { wallet: wallet.address } : {}),
  };
  const { events } = await backend.control.do('events', { query });
  return JSON.stringify(events.slice(-SHOWN_EVENTS));
}

function errorCodes(): string {
  const codes = Object.entries(ERRORS).map(([code, [status, sentence]]) => {
    const [rule] = REASONS[code as keyof typeof REASONS];
    const todo = remedyOf(code as keyof typeof REASONS);
    return { code, status, sentence, rule: RULES[rule], what_to_do: todo };
  });
  return JSON.stringify(codes);
}

const json = { mimeType: 'application/json' };

export function resourcesOf(
  session: WalletSession,
  { hasWorld }: ConnectionOptions,
): ReadonlyMap<string, Resource> {
  const { address } = session.wallet;
  const isOwn = (event: LoggedEvent) => event.kind === 'gap' || (event.wallet === address && !isRead(event));
  const all: Resource[] = [
    {
      uri: 'sim://fidelity',
      name: 'fidelity',
      title: 'Fidelity',
      description: 'For each rule: what is published about the service, and what the simulator adds',
      mimeType: 'text/markdown',
      read: () => readFileSync(join(PACKAGE_ROOT, 'docs', 'reference', 'fidelity.md'), 'utf8'),
    },
    {
      uri: 'sim://error-codes',
      name: 'error-codes',
      title: 'Error codes',
      description: 'Every code of a refusal by the bank, with its rule and its remedy',
      ...json,
      read: errorCodes,
    },
    {
      uri: `sim://account/${address}`,
      name: 'account',
      title: 'Account',
      description: 'Balances, earned yield, rates and collateral credit of this wallet',
      ...json,
      read: async () => JSON.stringify(await session.client.account()),
      isChangedBy: (event) => isOwn(event) || event.kind === 'fired' || event.kind === 'clock',
    },
    {
      uri: `sim://receipts/${address}`,
      name: 'receipts',
      title: 'Receipts',
      description:
        'The payments that fetch_paid made from this wallet, oldest first, and the total spent here',
      ...json,
      read: () => JSON.stringify({ spent: session.spending.spent(), receipts: session.receipts }),
      isChangedBy: isOwn,
    },
    {
      uri: hasWorld ? 'sim://events' : `sim://events/${address}`,
      name: 'events',
      title: 'Latest events',
      description: hasWorld ? 'The latest events of the world' : 'The latest events of this wallet',
      ...json,
      read: () => latestEvents(session, !hasWorld),
      isChangedBy: (event) => (hasWorld ? !isRead(event) : isOwn(event)),
    },
  ];
  return new Map(all.map((resource) => [resource.uri, resource]));
}
