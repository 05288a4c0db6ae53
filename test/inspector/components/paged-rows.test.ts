import { describe, expect, it } from 'vitest';
import { Pacer } from '../../../src/inspector/control/pacer.js';
import { PagedRows } from '../../../src/inspector/components/paged-rows.js';

/** A list of numbers that is read by page. */
function listOf(values: { rows: number[] }) {
  const asked: (string | undefined)[] = [];
  const paged = new PagedRows<number>(
    ({ cursor, limit }) => {
      asked.push(cursor);
      const from = cursor === undefined ? 0 : values.rows.indexOf(Number(cursor)) + 1;
      const rows = values.rows.slice(from, from + limit);
      const next = from + rows.length < values.rows.length ? String(rows.at(-1)) : null;
      return Promise.resolve({ rows, next, size: values.rows.length });
    },
    { keyOf: (row) => row, pacer: new Pacer() },
  );
  return { paged, asked };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('rows that are read by page', () => {
  it('are the first page at first, and more when they are scrolled to', async () => {
    const { paged, asked } = listOf({ rows: numbers(1_500) });
    paged.poke();
    await turns();
    expect(paged.state.value.rows).toHaveLength(200);
    paged.more();
    await turns();
    paged.more();
    await turns();
    expect(paged.state.value.rows).toEqual(numbers(1_500));
    paged.more();
    expect(asked).toEqual([undefined, '199', '1199']);
    paged.stop();
  });

  it('stay as far as they were read when the list changes', async () => {
    const values = { rows: numbers(4_000) };
    const { paged } = listOf(values);
    paged.poke();
    await turns();
    for (let at = 0; at < 4; at += 1) {
      paged.more();
      await turns();
    }
    const count = paged.state.value.rows?.length ?? 0;
    expect(count).toBeGreaterThan(2_000);
    values.rows = values.rows.filter((value) => value !== 7);
    const other = listOf(values).paged;
    other.state.value = paged.state.value;
    other.poke();
    await turns();
    expect(other.state.value.rows).not.toContain(7);
    expect(other.state.value.rows?.length).toBeGreaterThanOrEqual(count - 1);
    expect(new Set(other.state.value.rows).size).toBe(other.state.value.rows?.length);
    paged.stop();
    other.stop();
  });

  it('say why they cannot be read, and keep what was read', async () => {
    let isBroken = false;
    const paged = new PagedRows<number>(
      () =>
        isBroken ? Promise.reject(new Error('gone')) : Promise.resolve({ rows: [1], next: '1', size: 2 }),
      { keyOf: (row) => row, pacer: new Pacer() },
    );
    paged.poke();
    await turns();
    isBroken = true;
    paged.more();
    await turns();
    expect(paged.state.value).toEqual({ rows: [1], size: 2, error: 'gone' });
    paged.stop();
  });
});
