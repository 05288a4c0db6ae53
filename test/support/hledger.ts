import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNT_NAMES, type AccountName } from '../../src/core/domain/entry.js';
import { DECIMALS, TOKENS } from '../../src/core/domain/money.js';
import type { Simulator } from '../../src/simulator/simulator.js';

/** Whether this machine has hledger. */
export const HAS_HLEDGER = spawnSync('hledger', ['--version']).status === 0;

/** The balances that hledger finds in a journal, by account without its owner, and token: exact decimals. */
export function hledgerBalances(journal: Uint8Array): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'sim-hledger-'));
  try {
    const file = join(folder, 'books.journal');
    writeFileSync(file, journal);
    execFileSync('hledger', ['-f', file, 'check', '--strict', 'ordereddates']);
    const args = [
      '-f',
      file,
      'balance',
      '--no-total',
      '--flat',
      '--depth',
      '2',
      '--layout',
      'bare',
      '-O',
      'csv',
    ];
    const [, ...lines] = execFileSync('hledger', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
      .trim()
      .split('\n');
    return Object.fromEntries(
      lines.map((line) => {
        const [account, token, amount] = line.split(',').map((cell) => cell.replaceAll('"', ''));
        return [`${account} ${token}`, amount as string];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names that an exported journal gives to the bank's accounts. */
const NAMES: Readonly<Record<AccountName, string>> = {
  treasury: 'assets:treasury',
  collection: 'assets:collection',
  protocol: 'assets:protocol',
  collateral_loan: 'assets:collateral-loan',
  credit_line: 'assets:credit-line',
  checking: 'liabilities:checking',
  savings: 'liabilities:savings',
  yield: 'liabilities:yield',
  pending: 'liabilities:pending',
  uncollected: 'liabilities:uncollected',
  unclaimed: 'liabilities:unclaimed',
  interest_income: 'revenues:interest',
  network_fees: 'expenses:network-fees',
  capital: 'equity:capital',
};

/** The balances of the books, in base units, as hledger would write them. */
export function expectedBalances(sim: Simulator): Record<string, string> {
  const { totals } = sim.bank.books.state;
  const rows = ACCOUNT_NAMES.flatMap((account) =>
    TOKENS.map((token) => [`${NAMES[account]} ${token}`, totals[account][token], DECIMALS[token]] as const),
  );
  return Object.fromEntries(
    rows
      .filter(([, base]) => base !== 0n)
      .map(([name, base, decimals]) => [name, (Number(base) / 10 ** decimals).toFixed(decimals)]),
  );
}
