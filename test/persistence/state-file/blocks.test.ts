import { expect, it } from 'vitest';
import { type Blocking, Blocks, writeBlocks } from '../../../src/persistence/state-file/blocks.js';
import { Reader, Writer } from '../../../src/persistence/state-file/bytes.js';
import { array, number } from '../../../src/persistence/state-file/codec.js';

/** Which blocks were written and read, by the first value of each. */
const written: number[] = [];
const read: number[] = [];

const numbers = array(number);

const blocking: Blocking<number> = {
  length: 3,
  write: (to, values) => {
    written.push(values[0] as number);
    numbers.write(to, values);
  },
  read: (from, first) => {
    read.push(first);
    return numbers.read(from);
  },
};

function bytesOf(values: readonly number[], blocksOf: (index: number) => Blocks<number> | null): Uint8Array {
  written.length = 0;
  const to = new Writer();
  writeBlocks(to, { size: values.length, at: (index) => values[index] as number, blocksOf }, blocking);
  return to.bytes();
}

it('a sequence is decoded one block at a time, once, and full blocks are copied unchanged', () => {
  const values = [0, 1, 2, 3, 4, 5, 6, 7];
  const blocks = Blocks.from(new Reader(bytesOf(values, () => null)), values.length, blocking);
  expect(written).toEqual([0, 3, 6]);
  expect([blocks.at(4), blocks.at(5), blocks.at(7)]).toEqual([4, 5, 7]);
  expect(read).toEqual([3, 6]);

  const longer = [...values, 8, 9];
  const again = bytesOf(longer, (index) => (index < values.length ? blocks : null));
  expect(written).toEqual([6, 9]);
  expect(Buffer.from(again)).toEqual(Buffer.from(bytesOf(longer, () => null)));
});

it('blocks that are added keep those before them, whatever else was added to these', () => {
  const blocks = Blocks.empty(blocking).with([[0, 1, 2]]);
  const [one, other] = [blocks.with([[3, 4, 5]]), blocks.with([[6, 7, 8]])];
  expect([one.at(0), one.at(3), other.at(0), other.at(3)]).toEqual([0, 3, 0, 6]);
});

it('few decoded blocks are kept, and others are decoded again', () => {
  const values = Array.from({ length: 300 }, (_, at) => at);
  const blocks = Blocks.from(new Reader(bytesOf(values, () => null)), values.length, blocking);
  for (const value of values) expect(blocks.at(value)).toBe(value);
  read.length = 0;
  expect([blocks.at(299), blocks.at(0), blocks.at(1)]).toEqual([299, 0, 1]);
  expect(read).toEqual([0]);
});
