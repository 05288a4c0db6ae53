import type { ComponentChildren } from 'preact';
import { NARROW, useMedia } from '../components/media.js';
import { Link } from '../components/link.js';
import { When } from '../components/ids.js';
import type { WorldNode } from '../text/world-tree.js';

const LANE = 18;
const RADIUS = 4.5;

const COLORS = 6;
/** Further lanes share the last lane's position, so that the graph leaves room for the names. */
const MOST_LANES = 10;

const ROW = 40;
/** With the actions below the name. */
const NARROW_ROW = 72;

const colorOf = (lane: number) => `var(--chart-${(lane % COLORS) + 1})`;
const xOf = (lane: number) => 12 + Math.min(lane, MOST_LANES) * LANE;

function pathOf(from: { x: number; y: number }, to: { x: number; y: number }): string {
  if (from.x === to.x) return `M${from.x} ${from.y}V${to.y}`;
  const turn = from.y + 30;
  return `M${from.x} ${from.y}C${from.x} ${turn - 10} ${to.x} ${from.y} ${to.x} ${turn}V${to.y}`;
}

const NAMES: Readonly<Record<WorldNode['kind'], string>> = {
  start: 'Start of the log',
  snapshot: 'Snapshot',
  reverted: 'Reverted to',
  imported: 'State file',
  fork: 'Fork',
  now: 'Now',
};

/** Whether a point is a snapshot or a fork, which have addresses. */
const isWorld = ({ kind }: WorldNode) => kind === 'snapshot' || kind === 'fork';

interface WorldGraphProps {
  readonly nodes: readonly WorldNode[];
  /** The id of a snapshot or fork that an address names. */
  readonly selected: string | null;
  readonly note: (node: WorldNode) => ComponentChildren;
  readonly actions: (node: WorldNode) => ComponentChildren;
}

/** Snapshots, reverts and forks over time, oldest first. */
export function WorldGraph({ nodes, selected, note, actions }: WorldGraphProps) {
  const height = useMedia(NARROW) ? NARROW_ROW : ROW;
  const places = new Map(
    nodes.map(({ key, lane }, row) => [key, { x: xOf(lane), y: row * height + ROW / 2 }]),
  );
  const width = xOf(Math.min(MOST_LANES, Math.max(...nodes.map(({ lane }) => lane)))) + 12;
  return (
    <div class="graph">
      <svg width={width} height={nodes.length * height} aria-hidden="true">
        {nodes.map(({ key, parent, lane }) => {
          const [from, to] = [places.get(parent ?? ''), places.get(key)];
          if (from === undefined || to === undefined) return null;
          return <path key={key} d={pathOf(from, to)} style={{ stroke: colorOf(lane) }} />;
        })}
        {nodes.map(({ key, lane, kind }) => {
          const place = places.get(key);
          return (
            <circle
              key={key}
              cx={place?.x}
              cy={place?.y}
              r={kind === 'now' ? RADIUS + 1.5 : RADIUS}
              style={{ fill: colorOf(lane) }}
            />
          );
        })}
      </svg>
      <ol>
        {nodes.map((node) => (
          <li key={node.key} class={isWorld(node) && node.id === selected ? 'selected' : ''}>
            <span class="graph-name">
              <b>{NAMES[node.kind]}</b>
              {isWorld(node) ? <Link to="worlds" id={node.id} class="mono" /> : node.id}
              <span class="quiet">
                <When at={node.at} />
              </span>
              {note(node)}
            </span>
            <span class="actions">{actions(node)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
