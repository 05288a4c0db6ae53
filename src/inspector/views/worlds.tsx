import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { ExportButton, download } from '../components/download.js';
import { CommandButton, CommandDialog } from '../components/command.js';
import { Link } from '../components/link.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Empty, Read } from '../components/states.js';
import type { LoggedEvent, WorldEvent } from '../control/events.js';
import { useSession } from '../session.js';
import { countText, countedText } from '../text/format.js';
import { type WorldNode, worldTree } from '../text/world-tree.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import { Comparison } from './compare.js';
import { openFork } from './request-actions.js';
import { WorldGraph } from './world-graph.js';

function SnapshotActions({ id }: { readonly id: string }) {
  const session = useSession();
  return (
    <>
      <CommandDialog
        name="Revert"
        title={`Revert to ${id}?`}
        command="revert"
        ask={{ id }}
        done={`The world is restored to ${id}.`}
      >
        <p>This restores books, chain, clock, rates and faults. The snapshot stays.</p>
      </CommandDialog>
      <Button name="Fork" onClick={() => openFork(session, { snapshot: id })} />
      <Link to="compare" query={{ from: id, to: 'now' }} class="button" text="Compare" />
      <CommandButton name="Drop" command="dropSnapshot" ask={{ id }} done={`${id} is gone.`} />
    </>
  );
}

function ForkActions({ id, parent }: { readonly id: string; readonly parent: string | null | undefined }) {
  const session = useSession();
  const mount = parent == null ? '' : `/w/${parent}`;
  return (
    <>
      {/* With an opener, which it asks for the token. */}
      <a class="button" href={`/w/${id}/inspector/`} target="_blank" rel="opener">
        Open
      </a>
      <a class="button" href={`${mount}/inspector/compare?from=now&to=${id}`}>
        Compare
      </a>
      {id === session.forkId ? null : (
        <CommandDialog
          name="Drop"
          title={`Drop ${id}?`}
          command="dropFork"
          ask={{ id }}
          done={`${id} is gone.`}
        >
          <p>This deletes the fork and everything in it.</p>
        </CommandDialog>
      )}
    </>
  );
}

const isOfWorlds = (event: LoggedEvent): event is WorldEvent => event.kind === 'world';

function Tree({ selected }: { readonly selected: string | null }) {
  const session = useSession();
  const events = useCommand('events', { query: { kind: 'world', limit: 1_000 } });
  const snapshots = useCommand('snapshots');
  const forks = useCommand('forks');
  const [kept, served] = [snapshots.data?.snapshots ?? [], forks.data?.forks ?? []];
  const open = served.map(({ id }) => id);
  const parentOf = (id: string) => served.find((fork) => fork.id === id)?.parent;
  const isGone = ({ kind, id }: WorldNode) =>
    (kind === 'snapshot' && !kept.includes(id)) || (kind === 'fork' && !open.includes(id));
  return (
    <Panel
      title="Snapshots and forks"
      note={`${countText(kept.length)} kept, ${countedText(open.length, 'fork')} open`}
    >
      <Read of={events}>
        {(page) => (
          <WorldGraph
            nodes={worldTree(page.events.filter(isOfWorlds), session.clock.value?.now ?? '', open)}
            selected={selected}
            note={(node) => {
              if (isGone(node)) return <span class="badge">dropped</span>;
              return node.id === session.forkId ? <span class="badge">this world</span> : null;
            }}
            actions={(node) => {
              if (isGone(node)) return null;
              if (node.kind === 'snapshot') return <SnapshotActions id={node.id} />;
              return node.kind === 'fork' ? <ForkActions id={node.id} parent={parentOf(node.id)} /> : null;
            }}
          />
        )}
      </Read>
    </Panel>
  );
}

function StateFiles() {
  const [file, setFile] = useState<File | null>(null);
  return (
    <Panel title="State files">
      <div class="panel-body stack">
        <p class="quiet">The whole world as a file, from which this or another simulator can continue.</p>
        <div class="actions">
          <ExportButton name="Export" command="exportState" file="world.sim" />
          <input
            type="file"
            aria-label="State file"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
          <CommandDialog
            name="Import"
            title="Replace the world?"
            submit="Replace"
            isDisabled={file === null}
            command="importState"
            ask={file === null ? {} : { bytes: file }}
            done={`${file?.name ?? ''} has replaced the world.`}
          >
            <p>
              <b class="mono">{file?.name}</b> replaces this world. It must have the same seed and rules.
            </p>
          </CommandDialog>
        </div>
      </div>
    </Panel>
  );
}

function Recording() {
  const session = useSession();
  const { feed } = session;
  const [text, setText] = useState<string | null>(null);
  const stop = async () => {
    const made = await session.run('stopRecording', {}, ({ path }) =>
      path === null ? 'The recording has stopped.' : `The recording is in ${path}.`,
    );
    if (made?.recording != null) setText(made.recording);
  };
  const convert = async (recording: string) => {
    const ask = { bytes: new Blob([recording]), query: { name: 'Recorded in the inspector' } };
    const made = await session.run('scenarioOfRecording', ask, ({ steps, leftOut: { length: left } }) => {
      const missing = left === 0 ? '' : `; ${left} inputs have no step`;
      return `The scenario has ${steps} steps${missing}.`;
    });
    if (made !== undefined) download('recorded.yaml', made.scenario, 'application/yaml');
  };
  return (
    <ReadPanel title="Recording" command="recording">
      {({ recording, path, inputs, ended }) => (
        <div class="panel-body stack">
          <p class="quiet">
            {recording
              ? `Recording ${path === null ? 'in memory' : `into ${path}`}: ${countText(inputs)} inputs so far.`
              : (ended ??
                "Records requests and responses, for replay or for a scenario. Only a recording from the world's start can become a scenario.")}
          </p>
          <div class="actions">
            {recording ? (
              <Button name="Stop recording" class="primary" onClick={stop} />
            ) : (
              <CommandButton
                name="Start recording"
                command="startRecording"
                ask={{ body: { isNew: feed.last <= 1 } }}
                done="The recording has started."
              />
            )}
            {text === null ? null : (
              <>
                <Button name="Download recording" onClick={() => download('session.ndjson', text)} />
                <Button name="Download as scenario" onClick={() => convert(text)} />
              </>
            )}
          </div>
        </div>
      )}
    </ReadPanel>
  );
}

function History() {
  return (
    <ReadPanel title="Before each request" command="history" ask={{ query: { limit: 1 } }}>
      {({ size, limit }) =>
        limit === 0 ? (
          <Empty>
            This simulator does not keep snapshots before requests: it was started with --history 0.
          </Empty>
        ) : (
          <p class="panel-body">
            A snapshot is kept before each of the last {countText(size)} requests that may write (at most{' '}
            {countText(limit)}). Open a request in the{' '}
            <Link to="timeline" query={{ kind: 'api,control' }} text="timeline" /> to fork or revert to before
            it.
          </p>
        )
      }
    </ReadPanel>
  );
}

/** Snapshots and forks, their differences, state files and recordings. */
export function Worlds({ route: { id, query } }: { readonly route: Route }) {
  const session = useSession();
  const isCompared = ['from', 'agent', 'other'].some((name) => (query[name] ?? '') !== '');
  return (
    <>
      <Head title="Worlds">
        <Button name="Fork now" onClick={() => openFork(session, {})} />
        <CommandButton
          name="Snapshot"
          class="primary"
          command="snapshot"
          done={(made) => `${made.id} is taken.`}
        />
      </Head>
      {isCompared ? null : <Tree selected={id} />}
      <Comparison query={query} />
      {isCompared ? null : (
        <div class="columns three">
          <StateFiles />
          <Recording />
          <History />
        </div>
      )}
    </>
  );
}
