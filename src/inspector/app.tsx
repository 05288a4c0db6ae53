import { Component, type ComponentChildren, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Head } from './components/panel.js';
import { Shell } from './components/shell.js';
import { Problem } from './components/states.js';
import { useSession } from './session.js';
import type { Route, ViewName } from './text/routes.js';
import { AgentPage } from './views/agent.js';
import { Compare } from './views/compare.js';
import { Journal } from './views/journal.js';
import { Loans } from './views/loans.js';
import { Overview } from './views/overview.js';
import { RequestPage } from './views/request.js';
import { Timeline } from './views/timeline.js';
import { Worlds } from './views/worlds.js';

interface ViewProps {
  readonly route: Route;
}

const TITLES: Readonly<Record<ViewName, string>> = {
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
};

const VIEW_OF: Partial<Record<ViewName, (props: ViewProps) => JSX.Element>> = {
  overview: Overview,
  agents: AgentPage,
  loans: Loans,
  journal: Journal,
  timeline: Timeline,
  requests: RequestPage,
  worlds: Worlds,
  compare: Compare,
};

/** Shows what a view has thrown in its place; the rest of the page works on. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { error: unknown }> {
  override state = { error: null as unknown };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <Head title="This view has failed">
          <button type="button" onClick={() => this.setState({ error: null })}>
            Show it again
          </button>
        </Head>
        <Problem text={error instanceof Error ? error.message : JSON.stringify(error)} />
      </>
    );
  }
}

function View({ route }: { readonly route: Route | null }) {
  const Shown = route === null ? undefined : VIEW_OF[route.view];
  if (route === null || Shown === undefined) {
    return (
      <>
        <Head title="Not found" />
        <Problem text="No view has this address." />
      </>
    );
  }
  return <Shown route={route} />;
}

/** The page. */
export function App() {
  const { route, forkId } = useSession();
  const { value } = route;
  const title =
    value === null ? 'Not found' : `${TITLES[value.view]}${value.id === null ? '' : ` ${value.id}`}`;
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
