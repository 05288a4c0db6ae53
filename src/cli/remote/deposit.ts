import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `deposit`. */
export function depositCommand<T>(y: Argv<T>): Argv<T> {
  return y.command(
    'deposit <wallet> <amount> <token>',
    'fund the checking account of a wallet: faucet, on-chain transfer, recorded deposit',
    (c) =>
      remote(c)
        .positional('wallet', { type: 'string', demandOption: true })
        .positional('amount', { type: 'number', demandOption: true })
        .positional('token', { choices: ['USDC', 'SOL'] as const, demandOption: true })
        .option('secret-key', {
          type: 'string',
          describe:
            'secret key of a wallet not created by the simulator: base58, a JSON array, or a file; stays in this process',
        })
        .example('$0 deposit 9xQe… 100 USDC', 'for a dev wallet, or one created by the simulator'),
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
