import { readUserText } from '../../core/user-file.js';
import { remoteCommand } from './remote-command.js';

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function headerOf(header: string): string {
  return header === '-' ? readUserText('-').trim() : header;
}

export const VERIFY = remoteCommand('verifyPayment', {
  command: 'verify <header>',
  describe: 'verify an x402 receipt, request or payment field by field',
  options: {
    header: {
      type: 'string',
      demandOption: true,
      describe:
        'value of X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT, or its JSON; - for stdin',
    },
  },
  examples: [['verify - < receipt.json', 'shows each check with its expected value']],
  call: async (control, _ask, { header }) =>
    control.do('verifyPayment', { query: { header: headerOf(header) } }),
  isFailure: ({ valid }) => !valid,
  print: ({ kind, valid, checks }) =>
    [
      `${kind}: ${valid ? 'no check failed' : 'not valid'}`,
      ...checks.map(({ name, expected, got, verdict }) =>
        verdict === 'failed'
          ? `failed  ${name}: expected ${shown(expected)}, got ${shown(got)}`
          : `${verdict.padEnd(7)} ${name}`,
      ),
    ].join('\n'),
});
