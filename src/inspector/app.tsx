import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Button } from './components/controls.js';
import { Head, Problem } from './components/panel.js';
import { Shell } from './components/shell.js';
import { session } from './session.js';
import { type Route, VIEWS, type ViewName } from './text/routes.js';
import { AgentPage } from './views/agent.js';
import { Agents } from './views/agents.js';
import { AccountPage, TransactionPage, Transactions } from './views/chain.js';
import { Faults } from './views/faults.js';
import { EntryPage, Journal } from './views/journal.js';
import { LoanPage, Loans } from './views/loans.js';
import { Overview } from './views/overview.js';
import { RequestPage } from './views/request.js';
import { Timeline } from './views/timeline.js';
import { Worlds } from './views/worlds.js';
import { X402 } from './views/x402.js';

interface ViewProps {
  readonly id: string;
  readonly query: Route['query'];
}
type View = (props: ViewProps) => JSX.Element;

/** The view at an address without an id, and the view of one thing. The id is empty without one. */
const VIEW_OF: Readonly<Record<ViewName, readonly [all: View, one: View]>> = {
  overview: [Overview, Overview],
  agents: [Agents, AgentPage],
  loans: [Loans, LoanPage],
  journal: [Journal, EntryPage],
  timeline: [Timeline, Timeline],
  requests: [Timeline, RequestPage],
  x402: [X402, X402],
  transactions: [Transactions, TransactionPage],
  accounts: [Transactions, AccountPage],
  faults: [Faults, Faults],
  worlds: [Worlds, Worlds],
  compare: [Worlds, Worlds],
};

/** Shows the error of a view in its place; the rest of the page continues to work. */
function Boundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <Head title="This view has failed">
        <Button name="Reload view" onClick={reset} />
      </Head>
      <Problem text={error instanceof Error ? error.message : JSON.stringify(error)} />
    </>
  );
}

function Present({ route }: { readonly route: Route | null }) {
  if (route === null)
    return (
      <>
        <Head title="Not found" />
        <Problem text="There is no view at this address." />
      </>
    );
  const Shown = VIEW_OF[route.view][route.id === null ? 0 : 1];
  return <Shown id={route.id ?? ''} query={route.query} />;
}

export function App() {
  const { route, forkId } = session;
  const { value } = route;
  const title =
    value === null ? 'Not found' : `${VIEWS[value.view]}${value.id === null ? '' : ` ${value.id}`}`;
  useEffect(() => {
    document.title = `${title} · ${forkId ?? 'Inspector'}`;
  }, [title]);
  return (
    <Shell>
      <Boundary key={`${value?.view ?? ''}/${value?.id ?? ''}`}>
        <Present route={value} />
      </Boundary>
    </Shell>
  );
}
