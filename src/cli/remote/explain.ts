import { remoteCommand } from './remote-command.js';

export const EXPLAIN = remoteCommand('explain', {
  command: 'explain <id>',
  options: { id: { type: 'string', describe: 'X-Request-Id of an answer, or requestId of an error' } },
  examples: [['explain req_00000007', 'rule, figures, entries and transaction']],
  print: ({ text }) => text,
});
