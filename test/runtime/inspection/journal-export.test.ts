// @module-tag slow
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { TOKENS } from '../../../src/core/domain/money.js';
import { fillBooks } from '../../support/busy-books.js';
import { HAS_HLEDGER, expectedBalances, hledgerBalances } from '../../support/hledger.js';
import { ENGINES, world } from '../../support/world.js';

if (!HAS_HLEDGER) console.info('hledger is not installed: its reading of an exported journal is not tested');

describe.each(ENGINES)('an exported journal on %s', (engine) => {
  it.runIf(HAS_HLEDGER)('gives hledger the balances of the books, to the last base unit', async () => {
    const sim = await world({ engine });
    await fillBooks(sim, 60);
    expect(hledgerBalances(await sim.books.export('hledger'))).toEqual(expectedBalances(sim));
  });

  it('is refused in an unknown format', async () => {
    const sim = await world({ engine });
    await expect(sim.books.export('journal' as never)).rejects.toThrow(
      new RangeError('format: journal is none of csv, parquet, hledger'),
    );
  });

  it('has amounts beyond 64 bits as Parquet', async () => {
    const sim = await world({ engine });
    await sim.setBalance(sim.wallets[0]?.address ?? '', 1e10, 'SOL');
    await sim.agent(0).fund(9.3e9, 'SOL');
    const bytes = await sim.books.export('parquet');
    const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer });
    const amounts = rows.map(({ amount_base }) => amount_base as number);
    expect(amounts).toContain(9.3e18);
    expect(amounts).toContain(-9.3e18);
  });

  it('has a row for each posting, whose sums are the balances, as CSV and as Parquet', async () => {
    const sim = await world({ engine });
    await fillBooks(sim, 60);
    const { totals } = sim.bank.books.state;
    const text = Buffer.from(await sim.books.export('csv')).toString();
    const [head, ...lines] = text.trimEnd().split('\n');
    expect(head).toBe('entry,at,kind,wallet,status,account,owner,token,amount');
    const bytes = await sim.books.export('parquet');
    const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer });
    expect(rows).toHaveLength(lines.length);
    const sums: Record<string, bigint> = {};
    for (const [at, line] of lines.entries()) {
      const [entry, instant, kind, wallet, status, account = '', owner, token = '', amount = ''] =
        line.split(',');
      const base = BigInt(amount.replace('.', ''));
      sums[`${account} ${token}`] = (sums[`${account} ${token}`] ?? 0n) + base;
      const row = rows[at] as Record<string, unknown>;
      expect(row).toEqual({
        entry: Number(entry),
        at: new Date(instant ?? ''),
        kind,
        wallet: wallet === '' ? null : wallet,
        status,
        account,
        owner: owner === '' ? null : owner,
        token,
        amount_base: Number(base),
      });
    }
    for (const [name, sum] of Object.entries(sums)) {
      const [account, token] = name.split(' ') as [keyof typeof totals, (typeof TOKENS)[number]];
      expect(sum, name).toBe(totals[account][token]);
    }
    expect(text).toContain(',failed,');
  });
});
