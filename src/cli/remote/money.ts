import { remoteCommand } from './remote-command.js';

const MONEY = {
  amount: { type: 'number', demandOption: true },
  token: { choices: ['USDC', 'SOL'], demandOption: true },
} as const;

export const FAUCET = remoteCommand({
  command: 'faucet <address> <amount> <token>',
  describe: 'credit SOL or USDC to an address',
  positionals: { address: { type: 'string', demandOption: true }, ...MONEY },
  options: { network: { choices: ['mainnet', 'devnet'], describe: 'network of the USDC mint' } },
  examples: [['faucet 9xQe… 100 USDC', 'a hundred dollars']],
  call: (control, { address, amount, token, network }) =>
    control.do('faucet', { body: { address, amount, token, network } }),
  print: ({ balances, signature }) => `${balances.SOL} SOL, ${balances.USDC} USDC now; ${signature}`,
});

export const DEPOSIT = remoteCommand({
  command: 'deposit <wallet> <amount> <token>',
  describe: 'fund the checking account of a wallet: faucet, on-chain transfer, recorded deposit',
  positionals: { wallet: { type: 'string', demandOption: true }, ...MONEY },
  options: {
    'secret-key': {
      type: 'string',
      describe:
        'secret key of a wallet not created by the simulator: base58, a JSON array, or a file; stays in this process',
    },
  },
  examples: [['deposit 9xQe… 100 USDC', 'for a dev wallet, or one created by the simulator']],
  call: async (control, args) => {
    const { wallet, amount, token, secretKey } = args;
    if (secretKey === undefined) return control.do('deposit', { body: { wallet, amount, token } });
    const { depositByOwner } = await import('../deposit-by-owner.js');
    return depositByOwner(control, { ...args, secretKey });
  },
  print: ({ balance, signature }) =>
    `${balance.current} ${balance.token} in checking, ${balance.previous} before; ${signature}`,
});
