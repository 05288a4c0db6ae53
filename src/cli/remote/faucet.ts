import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `faucet`. */
export function faucetCommand<T>(y: Argv<T>): Argv<T> {
  return y.command(
    'faucet <address> <amount> <token>',
    'credit SOL or USDC to an address',
    (c) =>
      remote(c)
        .positional('address', { type: 'string', demandOption: true })
        .positional('amount', { type: 'number', demandOption: true })
        .positional('token', { choices: ['USDC', 'SOL'] as const, demandOption: true })
        .option('network', { choices: ['mainnet', 'devnet'] as const, describe: 'network of the USDC mint' })
        .example('$0 faucet 9xQe… 100 USDC', 'a hundred dollars'),
    async (args) => {
      const { address, amount, token, network } = args;
      await (
        await load()
      ).withControlClient(
        args,
        (control) => control.do('faucet', { body: { address, amount, token, network } }),
        ({ balances, signature }) => `${balances.SOL} SOL, ${balances.USDC} USDC now; ${signature}`,
      );
    },
  );
}
