import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `deposit`. */
export function depositCommand<T>(y: Argv<T>): Argv<T> {
  return y.command(
    'deposit <wallet> <amount> <token>',
    'put money into the checking account of a wallet: faucet, transfer on chain, recorded deposit',
    (c) =>
      remote(c)
        .positional('wallet', { type: 'string', demandOption: true })
        .positional('amount', { type: 'number', demandOption: true })
        .positional('token', { choices: ['USDC', 'SOL'] as const, demandOption: true })
        .option('secret-key', {
          type: 'string',
          describe:
            'of a wallet that the simulator did not make: base58, a JSON array, or a file that holds it; it stays in this process',
        })
        .example('$0 deposit 9xQe… 100 USDC', 'of a dev wallet, or of one that the simulator has made'),
    async (args) => {
      const { wallet, amount, token, secretKey } = args;
      await (
        await load()
      ).withControlClient(
        args,
        async (control) => {
          if (secretKey === undefined) return control.do('deposit', { body: { wallet, amount, token } });
          const { depositByOwner } = await import('../deposit-by-owner.js');
          return depositByOwner(control, { ...args, secretKey });
        },
        ({ balance, signature }) =>
          `${balance.current} ${balance.token} in checking, ${balance.previous} before; ${signature}`,
      );
    },
  );
}
