import { remoteCommand } from './remote-command.js';

export const EXPLAIN = remoteCommand('explain', {
  command: 'explain <id>',
  options: { id: { type: 'string', describe: 'X-Request-Id of a response, or requestId of an error' } },
  examples: [['explain req_00000007', 'shows the rule, the figures, the entries and the transaction']],
  print: ({ text }) => text,
});
