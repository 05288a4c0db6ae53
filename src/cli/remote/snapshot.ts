import type { AnswerOf } from '../../api/control/client.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { UsageError } from '../usage.js';
import { nextLine, short } from './table.js';
import { timeLine } from './time.js';

const forkLine = ({ id, baseUrl, rpcUrl }: AnswerOf<'fork'>) =>
  `${id} ${baseUrl}${rpcUrl === null ? '' : ` RPC ${rpcUrl}`}`;

export const SNAPSHOT = remoteCommand('snapshot', {
  command: 'snapshot',
  describe: 'take a snapshot of the world; prints its id',
  examples: [['snapshot', 'snapshot-1']],
  print: ({ id }) => id,
});

export const REVERT = remoteCommand('revert', {
  command: 'revert [id]',
  describe: 'restore a snapshot, or the world before a request',
  options: {
    id: { type: 'string', describe: 'snapshot id' },
    before: { type: 'string', describe: 'X-Request-Id of a call, or the number of one of its events' },
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

export const HISTORY = remoteCommand('history', {
  command: 'history',
  describe: 'list requests to revert to or fork before, newest first',
  examples: [['history --limit 5', 'the last five requests that can have written']],
  print: ({ requests, next, size, limit }) =>
    [
      ...requests.map(
        ({ requestId, at, interface: by, method, path, operation, status, code }) =>
          `${requestId} ${at} ${by === 'api' ? (operation ?? `${method} ${path}`) : `${by} ${operation ?? path}`} ${status ?? 'lost'}${code === null ? '' : ` ${code}`}`,
      ),
      ...nextLine(next, limit === 0 ? 'no snapshots are kept; see --history' : `${size} of at most ${limit}`),
    ].join('\n'),
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
    print: ({ forks }) => (forks.length === 0 ? 'no forks' : forks.map(forkLine).join('\n')),
  }),
  remoteCommand('dropFork', {
    command: 'drop <id>',
    examples: [['fork drop fork-1', 'frees its memory']],
    print: ({ id }) => `${id} dropped`,
  }),
]);

interface ChangeView {
  readonly from: string | number | null;
  readonly to: string | number | null;
}

const change = ({ from, to }: ChangeView) => `${from ?? 'none'} -> ${to ?? 'none'}`;

interface ListView<T> {
  readonly count: number;
  readonly first: readonly T[];
}

function list<T>(title: string, { count, first }: ListView<T>, line: (row: T) => string): string[] {
  if (count === 0) return [];
  const rest = count - first.length;
  return [
    `${title} (${count})`,
    ...first.map((row) => `  ${line(row)}`),
    ...(rest === 0 ? [] : [`  and ${rest} more`]),
  ];
}

const entryText = ({ entry, at, kind }: AnswerOf<'compare'>['onlyTo']['entries']['first'][number]) =>
  `${entry} ${at} ${kind}`;

export const COMPARE = remoteCommand('compare', {
  command: 'compare <from> [to]',
  examples: [
    ['compare snapshot-1', 'changes since the snapshot'],
    ['compare now fork-1', 'differences between the world and the fork'],
  ],
  print: ({ time, totals, balances, loans, chain, commonEntries, onlyFrom, onlyTo }) =>
    [
      `time ${change(time)}, entries in common: ${commonEntries}`,
      ...list(
        'totals',
        { count: totals.length, first: totals },
        (row) => `${row.account} ${row.token} ${change(row)}`,
      ),
      ...list(
        'balances',
        balances,
        (row) => `${short(row.wallet)} ${row.account} ${row.token} ${change(row)}`,
      ),
      ...list('loans', loans, (row) => `${row.loanId} ${change(row)}`),
      ...list('accounts on chain', chain, ({ address, SOL, tokenBase }) =>
        SOL.from === SOL.to
          ? `${short(address)} ${change(tokenBase)} units`
          : `${short(address)} ${change(SOL)} SOL`,
      ),
      ...list('entries only in the first', onlyFrom.entries, entryText),
      ...list('entries only in the second', onlyTo.entries, entryText),
    ].join('\n'),
});
