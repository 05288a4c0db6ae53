import { useState } from 'preact/hooks';
import { Button, ExportButton, download, CommandButton } from '../components/controls.js';
import { When, Link } from '../components/values.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Table } from '../components/table.js';
import type { LoggedEvent, WorldEvent } from '../control/events.js';
import { session } from '../session.js';
import { countText, countedText } from '../text/format.js';
import { type WorldNode, worldTree } from '../text/world-tree.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import { Comparison } from './compare.js';
import { openFork } from './request-actions.js';

function SnapshotActions({ id }: { readonly id: string }) {
  return (
    <>
      <CommandButton
        name="Revert"
        title={`Revert to ${id}?`}
        command="revert"
        ask={{ id }}
        done={`The world is restored to ${id}.`}
      >
        <p>This restores books, chain, clock, rates and faults. The snapshot stays.</p>
      </CommandButton>
      <Button name="Fork" onClick={() => openFork({ snapshot: id })} />
      <Link to="compare" query={{ from: id, to: 'now' }} class="button" text="Compare" />
      <CommandButton name="Drop" command="dropSnapshot" ask={{ id }} done={`${id} is gone.`} />
    </>
  );
}

function ForkActions({ id, parent }: { readonly id: string; readonly parent: string | null | undefined }) {
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
        <CommandButton
          name="Drop"
          title={`Drop ${id}?`}
          command="dropFork"
          ask={{ id }}
          done={`${id} is gone.`}
        >
          <p>This deletes the fork and everything in it.</p>
        </CommandButton>
      )}
    </>
  );
}

const NODES: Readonly<Record<WorldNode['kind'], string>> = {
  start: 'Start of the log',
  snapshot: 'Snapshot',
  reverted: 'Reverted to',
  imported: 'State file',
  fork: 'Fork',
  now: 'Now',
};

const INDENT_PX = 18;
/** The most steps to the right, so that there is room for the names. */
const MOST_INDENTS = 10;
const COLOURS = 6;

const nameOf = (node: WorldNode | undefined) => node?.id || (node && NODES[node.kind]);

/** A point in time, indented by the number of its line. */
function Node({ of: { kind, id, lane }, note }: { readonly of: WorldNode; readonly note: string | null }) {
  const indent = { paddingLeft: `${Math.min(lane, MOST_INDENTS) * INDENT_PX}px` };
  return (
    <span class="id" style={indent}>
      <span aria-hidden="true" style={{ color: `var(--chart-${(lane % COLOURS) + 1})` }}>
        ●
      </span>{' '}
      <b>{NODES[kind]}</b>{' '}
      {kind === 'snapshot' || kind === 'fork' ? <Link to="worlds" id={id} class="mono" /> : id}{' '}
      {note === null ? null : <span class="badge">{note}</span>}
    </span>
  );
}

const isOfWorlds = (event: LoggedEvent): event is WorldEvent => event.kind === 'world';

/** Snapshots, reverts and forks over time, oldest first, each with the point that it continues. */
function Tree({ selected }: { readonly selected: string }) {
  const { forkId, clock } = session;
  const snapshots = useCommand('snapshots').data?.snapshots ?? [];
  const forks = useCommand('forks').data?.forks ?? [];
  const open = forks.map(({ id }) => id);
  const isGone = ({ kind, id }: WorldNode) =>
    (kind === 'snapshot' && !snapshots.includes(id)) || (kind === 'fork' && !open.includes(id));
  const note = (node: WorldNode) => {
    if (isGone(node)) return 'dropped';
    if (node.id === forkId) return 'this world';
    return selected !== '' && node.kind !== 'reverted' && node.id === selected ? 'selected' : null;
  };
  const actions = ({ kind, id }: WorldNode) => {
    if (kind === 'snapshot') return <SnapshotActions id={id} />;
    return kind === 'fork' ? (
      <ForkActions id={id} parent={forks.find((fork) => fork.id === id)?.parent} />
    ) : null;
  };
  return (
    <ReadPanel
      title="Snapshots and forks"
      note={`${countText(snapshots.length)} kept, ${countedText(open.length, 'fork')} open`}
      command="events"
      ask={{ query: { kind: 'world', limit: 1_000 } }}
    >
      {({ events }) => {
        const nodes = worldTree(events.filter(isOfWorlds), clock.value?.now ?? '', open);
        return (
          <Table
            label="Snapshots and forks"
            columns={[
              ['World', (node) => <Node of={node} note={note(node)} />],
              ['Actions', (node) => <span class="actions">{isGone(node) ? null : actions(node)}</span>],
              ['From', (node) => nameOf(nodes.find(({ key }) => key === node.parent))],
              ['Time', ({ at }) => <When at={at} />],
            ]}
            rows={nodes}
            keyOf={({ key }) => key}
            empty=""
          />
        );
      }}
    </ReadPanel>
  );
}

function StateFiles() {
  const [file, setFile] = useState<File | null>(null);
  return (
    <Panel title="State files">
      <div class="stack">
        <p class="quiet">The whole world as a file, from which this or another simulator can continue.</p>
        <div class="actions">
          <ExportButton name="Export" file="world.sim" read={() => session.control.bytes('exportState')} />
          <input
            type="file"
            aria-label="State file"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
          <CommandButton
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
          </CommandButton>
        </div>
      </div>
    </Panel>
  );
}

function Recording() {
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
        <div class="stack">
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

export function Worlds({ id, query }: { readonly id: string; readonly query: Route['query'] }) {
  const isCompared = ['from', 'agent', 'other'].some((name) => (query[name] ?? '') !== '');
  return (
    <>
      <Head title="Worlds">
        <Button name="Fork now" onClick={() => openFork({})} />
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
        <div class="columns">
          <StateFiles />
          <Recording />
        </div>
      )}
    </>
  );
}
