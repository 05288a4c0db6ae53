import { remoteCommand } from './remote-command.js';

export const EXPLAIN = remoteCommand({
  command: 'explain <id>',
  describe: 'explain why a call was refused or what it did, with the figures',
  positionals: {
    id: {
      type: 'string',
      demandOption: true,
      describe: 'X-Request-Id of an answer, or requestId of an error',
    },
  },
  examples: [['explain req_00000007', 'rule, figures, entries and transaction']],
  call: (control, { id }) => control.do('explain', { id }),
  print: ({ text }) => text,
});
