import { commandGroup, remoteCommand } from './remote-command.js';
import { UsageError } from '../usage.js';
import { nextLine, PAGING, short } from './table.js';
import { timeLine } from './time.js';

interface ForkView {
  readonly id: string;
  readonly baseUrl: string;
  readonly rpcUrl: string | null;
}

const forkLine = ({ id, baseUrl, rpcUrl }: ForkView) =>
  `${id} ${baseUrl}${rpcUrl === null ? '' : ` RPC ${rpcUrl}`}`;

const BEFORE = {
  type: 'string',
  describe: 'X-Request-Id of a call, or the number of one of its events',
} as const;

const ID = { type: 'string', demandOption: true } as const;

export const SNAPSHOT = remoteCommand({
  command: 'snapshot',
  describe: 'take a snapshot of the world; prints its id',
  examples: [['snapshot', 'snapshot-1']],
  call: (control) => control.do('snapshot'),
  print: ({ id }) => id,
});

export const REVERT = remoteCommand({
  command: 'revert [id]',
  describe: 'restore a snapshot, or the world before a request',
  positionals: { id: { type: 'string', describe: 'snapshot id' } },
  options: { before: BEFORE },
  examples: [
    ['revert snapshot-1', 'can be repeated'],
    ['revert --before req_00000007', 'as if that call and all later ones had not been'],
  ],
  call: async (control, { id, before }) => {
    if ((id === undefined) === (before === undefined))
      throw new UsageError('give the id of a snapshot, or --before with a request');
    if (id !== undefined) return control.do('revert', { id });
    return control.do('revertBefore', { id: before ?? '' });
  },
  print: timeLine,
});

export const HISTORY = remoteCommand({
  command: 'history',
  describe: 'list requests to revert to or fork before, newest first',
  options: PAGING,
  examples: [['history --limit 5', 'the last five requests that may have written']],
  call: (control, { cursor, limit }) => control.do('history', { query: { cursor, limit } }),
  print: ({ requests, next, size, limit }) =>
    [
      ...requests.map(
        ({ requestId, at, interface: by, method, path, operation, status, code }) =>
          `${requestId} ${at} ${by === 'api' ? (operation ?? `${method} ${path}`) : `${by} ${operation ?? path}`} ${status ?? 'lost'}${code === null ? '' : ` ${code}`}`,
      ),
      ...nextLine(next, limit === 0 ? 'none are kept (--history)' : `${size} of at most ${limit}`),
    ].join('\n'),
});

export const FORK = commandGroup('fork', 'fork a running world', [
  remoteCommand({
    command: ['make [snapshot]', '$0'],
    describe:
      'copy the current state, a snapshot, or the world before a request to one with its own base URL',
    positionals: { snapshot: { type: 'string', describe: 'snapshot id' } },
    options: { before: BEFORE },
    examples: [
      ['fork', 'fork-1 http://127.0.0.1:4020/w/fork-1/api/v1 RPC …'],
      ['fork --before req_00000007', 'the world without that call'],
      ['time advance 30d --url http://127.0.0.1:4020/w/fork-1', 'every command works on a fork'],
    ],
    call: (control, { snapshot, before }) => control.do('fork', { body: { snapshot, before } }),
    print: forkLine,
  }),
  remoteCommand({
    command: 'list',
    describe: 'list forks',
    examples: [['fork list', 'their ids and addresses']],
    call: (control) => control.do('forks'),
    print: ({ forks }) => (forks.length === 0 ? 'no forks' : forks.map(forkLine).join('\n')),
  }),
  remoteCommand({
    command: 'drop <id>',
    describe: 'delete a fork',
    positionals: { id: ID },
    examples: [['fork drop fork-1', 'frees its memory']],
    call: (control, { id }) => control.do('dropFork', { id }),
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

export const COMPARE = remoteCommand({
  command: 'compare <from> [to]',
  describe: 'show what differs between two instants, or a world and its fork',
  positionals: {
    from: {
      type: 'string',
      demandOption: true,
      describe: 'now, a snapshot, a fork, or a request: the world before it',
    },
    to: { type: 'string', describe: 'the same (default now)' },
  },
  options: { limit: { type: 'number', describe: 'most rows of each list, 1 to 1000 (default 100)' } },
  examples: [
    ['compare snapshot-1', 'what has changed since'],
    ['compare now fork-1', 'what went otherwise in the fork'],
  ],
  call: (control, { from, to, limit }) => control.do('compare', { query: { from, to, limit } }),
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
      ...list(
        'entries only in the first',
        onlyFrom.entries,
        ({ entry, at, kind }) => `${entry} ${at} ${kind}`,
      ),
      ...list(
        'entries only in the second',
        onlyTo.entries,
        ({ entry, at, kind }) => `${entry} ${at} ${kind}`,
      ),
    ].join('\n'),
});
