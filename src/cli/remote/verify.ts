import { readUserText } from '../../core/user-file.js';
import { remoteCommand } from './remote-command.js';
import { required } from '../arguments.js';

function headerOf(header: string): string {
  return header === '-' ? readUserText('-').trim() : header;
}

export const VERIFY = remoteCommand('verifyPayment', {
  command: 'verify <header>',
  describe: 'verify an x402 receipt, request or payment field by field',
  options: {
    header: required(
      'value of X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT, or its JSON; - for stdin',
    ),
  },
  examples: [['verify - < receipt.json', 'shows each check with its expected value']],
  call: async (control, _ask, { header }) =>
    control.do('verifyPayment', { query: { header: headerOf(header) } }),
  isFailure: ({ valid }) => !valid,
  columns: { checks: ['verdict', 'name', 'expected', 'got'] },
});
