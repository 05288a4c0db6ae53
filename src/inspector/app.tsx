import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { Button } from './components/button.js';
import { Head } from './components/panel.js';
import { Shell } from './components/shell.js';
import { Problem } from './components/states.js';
import { useSession } from './session.js';
import { type Route, VIEWS, type ViewName } from './text/routes.js';
import { AgentPage } from './views/agent.js';
import { AccountPage, Transactions } from './views/chain.js';
import { Faults } from './views/faults.js';
import { Journal } from './views/journal.js';
import { Loans } from './views/loans.js';
import { Overview } from './views/overview.js';
import { RequestPage } from './views/request.js';
import { Timeline } from './views/timeline.js';
import { Worlds } from './views/worlds.js';
import { X402 } from './views/x402.js';

interface ViewProps {
  readonly route: Route;
}

const VIEW_OF: Readonly<Record<ViewName, (props: ViewProps) => JSX.Element>> = {
  overview: Overview,
  agents: AgentPage,
  loans: Loans,
  journal: Journal,
  timeline: Timeline,
  requests: RequestPage,
  x402: X402,
  transactions: Transactions,
  accounts: AccountPage,
  faults: Faults,
  worlds: Worlds,
  compare: Worlds,
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

function View({ route }: { readonly route: Route | null }) {
  if (route === null)
    return (
      <>
        <Head title="Not found" />
        <Problem text="There is no view at this address." />
      </>
    );
  const Shown = VIEW_OF[route.view];
  return <Shown route={route} />;
}

export function App() {
  const { route, forkId } = useSession();
  const { value } = route;
  const title =
    value === null ? 'Not found' : `${VIEWS[value.view]}${value.id === null ? '' : ` ${value.id}`}`;
  useEffect(() => {
    document.title = `${title} · ${forkId ?? 'Inspector'}`;
  }, [title]);
  return (
    <Shell>
      <Boundary key={`${value?.view ?? ''}/${value?.id ?? ''}`}>
        <View route={value} />
      </Boundary>
    </Shell>
  );
}
