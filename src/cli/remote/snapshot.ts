import { commandGroup, remoteCommand } from './remote-command.js';
import { timeLine } from './time.js';

interface ForkView {
  readonly id: string;
  readonly baseUrl: string;
  readonly rpcUrl: string | null;
}

const forkLine = ({ id, baseUrl, rpcUrl }: ForkView) =>
  `${id} ${baseUrl}${rpcUrl === null ? '' : ` RPC ${rpcUrl}`}`;

const ID = { type: 'string', demandOption: true } as const;

export const SNAPSHOT = remoteCommand({
  command: 'snapshot',
  describe: 'take a snapshot of the world; prints its id',
  examples: [['snapshot', 'snapshot-1']],
  call: (control) => control.do('snapshot'),
  print: ({ id }) => id,
});

export const REVERT = remoteCommand({
  command: 'revert <id>',
  describe: 'restore a snapshot',
  positionals: { id: ID },
  examples: [['revert snapshot-1', 'can be repeated']],
  call: (control, { id }) => control.do('revert', { id }),
  print: timeLine,
});

export const FORK = commandGroup('fork', 'fork a running world', [
  remoteCommand({
    command: ['make [snapshot]', '$0'],
    describe: 'copy the current state, or a snapshot, to a world with its own base URL',
    positionals: { snapshot: { type: 'string', describe: 'snapshot id' } },
    examples: [
      ['fork', 'fork-1 http://127.0.0.1:4020/w/fork-1/api/v1 RPC …'],
      ['time advance 30d --url http://127.0.0.1:4020/w/fork-1', 'every command works on a fork'],
    ],
    call: (control, { snapshot }) => control.do('fork', { body: snapshot === undefined ? {} : { snapshot } }),
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
