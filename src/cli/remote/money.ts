import { remoteCommand } from './remote-command.js';
import { text } from '../arguments.js';

const FAUCET = remoteCommand('faucet', {
  command: 'faucet <address> <amount> <token>',
  examples: [['faucet 9xQe… 100 USDC', 'a hundred dollars']],
  print: ({ balances, signature }) => `${balances.SOL} SOL, ${balances.USDC} USDC now; ${signature}`,
});

const DEPOSIT = remoteCommand('deposit', {
  command: 'deposit <wallet> <amount> <token>',
  describe: 'fund the checking account of a wallet: faucet, on-chain transfer, recorded deposit',
  options: {
    'secret-key': text(
      'secret key of a wallet that the simulator did not create: base58, a JSON array, or a file; never sent to the simulator',
    ),
  },
  examples: [['deposit 9xQe… 100 USDC', 'for a dev wallet or a wallet created by the simulator']],
  call: async (control, ask, { url, 'secret-key': secretKey }) => {
    if (secretKey === undefined || ask.body === undefined) return control.do('deposit', ask);
    const { depositByOwner } = await import('../deposit-by-owner.js');
    return depositByOwner(control, { ...ask.body, url, secretKey });
  },
  print: ({ balance, signature }) =>
    `${balance.current} ${balance.token} in checking, ${balance.previous} before; ${signature}`,
});

export const MONEY = [FAUCET, DEPOSIT];
