import type { AnswerOf } from '../../api/control/client.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { UsageError } from '../usage.js';
import { readable } from './table.js';
import { timeLine } from './time.js';
import { text } from '../arguments.js';

const forkLine = ({ id, baseUrl, rpcUrl }: AnswerOf<'fork'>) =>
  `${id} ${baseUrl}${rpcUrl === null ? '' : ` RPC ${rpcUrl}`}`;

const SNAPSHOT = remoteCommand('snapshot', {
  command: 'snapshot',
  describe: 'take a snapshot of the world; prints its id',
  examples: [['snapshot', 'snapshot-1']],
  print: ({ id }) => id,
});

const REVERT = remoteCommand('revert', {
  command: 'revert [id]',
  describe: 'restore a snapshot, or the world before a request',
  options: {
    id: text('snapshot id; sim control snapshots lists them'),
    before: text('X-Request-Id of a call, or the number of one of its events'),
  },
  examples: [
    ['revert snapshot-1', 'a snapshot can be restored repeatedly'],
    ['revert --before req_00000007', 'undoes that call and all later calls'],
  ],
  call: async (control, { id }, { before }) => {
    if (id !== undefined && before === undefined) return control.do('revert', { id });
    if (id === undefined && before !== undefined) return control.do('revertBefore', { id: before });
    throw new UsageError('give the id of a snapshot, or --before with a request');
  },
  print: timeLine,
});

const HISTORY_COLUMNS = 'requestId at interface method operation path status code'.split(' ');

const HISTORY = remoteCommand('history', {
  command: 'history',
  describe: 'list requests to revert to or fork before, newest first',
  examples: [['history --limit 5', 'the last five requests that can have written']],
  print: ({ requests: rows, ...page }) => {
    if (page.limit === 0) return 'no snapshots are kept; see sim start --history';
    const requests = rows.map((row) => ({ ...row, status: row.status ?? 'lost' }));
    return readable({ requests, ...page }, { requests: HISTORY_COLUMNS });
  },
});

export const FORK = commandGroup('fork', 'fork a running world', [
  remoteCommand('fork', {
    command: ['make [snapshot]', '$0'],
    examples: [
      ['fork', 'fork-1 http://127.0.0.1:4020/w/fork-1/api/v1 RPC …'],
      ['fork --before req_00000007', 'the world without that call'],
      ['time advance 30d --url http://127.0.0.1:4020/w/fork-1', 'every command works on a fork'],
    ],
    print: forkLine,
  }),
  remoteCommand('forks', {
    command: 'list',
    examples: [['fork list', 'their ids and addresses']],
    print: ({ forks }) => forks.map(forkLine).join('\n') || 'no forks',
  }),
  remoteCommand('dropFork', {
    command: 'drop <id>',
    examples: [['fork drop fork-1', 'frees its memory']],
    print: ({ id }) => `${id} dropped`,
  }),
]);

type EntryList = AnswerOf<'compare'>['onlyTo']['entries'];

const entriesOf = ({ count, first }: EntryList) => ({
  count,
  first: first.map(({ entry, at, kind }) => `${entry} ${at} ${kind}`),
});

const COMPARE = remoteCommand('compare', {
  command: 'compare <from> [to]',
  examples: [
    ['compare snapshot-1', 'changes since the snapshot'],
    ['compare now fork-1', 'differences between the world and the fork'],
  ],
  print: ({ onlyFrom, onlyTo, ...rest }) => {
    const all = { ...rest, onlyFrom: entriesOf(onlyFrom.entries), onlyTo: entriesOf(onlyTo.entries) };
    const kept = Object.entries(all).filter(([, list]) => (list as { count?: number }).count !== 0);
    return readable(Object.fromEntries(kept));
  },
});

export const SNAPSHOTS = [SNAPSHOT, REVERT, HISTORY, COMPARE];
