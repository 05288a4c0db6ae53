import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecording, UnreadableRecording } from '../../src/recording/replay/read-recording.js';
import { replayRecording } from '../../src/recording/replay/replay.js';
import { forAllAsync } from '../support/for-all.js';

const FILE = join('fixtures', 'recordings', 'version-2.ndjson');
const rows = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const HEADER = rows[0] as string;
const AT = (JSON.parse(rows[2] as string) as { at: number }).at;

type Line = Record<string, unknown>;

const SENT = JSON.parse(rows.find((row) => row.includes('"transaction":')) as string) as Line;
const TRANSACTION = SENT['transaction'] as object;
const sent = (changes: object) => ({ ...SENT, transaction: { ...TRANSACTION, ...changes } });
const answered = { status: 200, body: {} };
const call = { at: AT, kind: 'call', operation: 'account', response: answered };
const control = { at: AT, kind: 'control', command: 'time', method: 'GET', response: answered };

/** Lines that no recording contains, and the reason reported for each. */
const DAMAGED: readonly (readonly [what: string, line: unknown])[] = [
  ['operation: unknown operation "nope"', { ...call, operation: 'nope' }],
  ['operation: unknown operation "constructor"', { ...call, operation: 'constructor' }],
  ['key: Invalid input: expected string, received number', { ...call, key: 5 }],
  ['params.id: cannot be part of a URL', { ...call, operation: 'loan', params: { id: '\ud800' } }],
  [
    'unparsed.bytes: Too big: expected number to be <=65536',
    { ...call, operation: 'withdraw', unparsed: { bytes: 1e15, sha256: '' } },
  ],
  ['at: Too big: expected int to be <=9007199254740991', { ...call, at: 1e300 }],
  ['response: Invalid input', { ...SENT, response: 5 }],
  ['response: Unrecognized key: "error"', { ...SENT, response: { error: null } }],
  ['transaction: Invalid input: expected object, received undefined', { at: AT, kind: 'send' }],
  ['1 signatures are required, 0 are there', sent({ signed: [] })],
  ['the transaction is cut short', sent({ message: 'AQ==' })],
  [
    'transaction.signed.0: Invalid option: expected one of "right"|"wrong"|"missing"',
    sent({ signed: ['x'] }),
  ],
  ['mode: must be real, frozen or a factor such as 60x', { at: AT, kind: 'clock', mode: 'x' }],
  ['time: "0x" does not move; use frozen', { at: AT, kind: 'clock', mode: '0x' }],
  // It responds in bytes.
  ['command: not a command of recordings: "exportState"', { ...control, command: 'exportState' }],
  // It writes a file.
  [
    'command: not a command of recordings: "startRecording"',
    { ...control, command: 'startRecording', method: 'POST', body: { path: 'x' } },
  ],
  // It never ends.
  ['command: not a command of recordings: "events/stream"', { ...control, command: 'events/stream' }],
  ['address: no address', { kind: 'wallet', name: 'w', address: 'x', key: null }],
  ['kind: not a kind of line', { at: AT, kind: 'x' }],
  ['not a kind of line', []],
];

/** The outcome of a file: a report, or why it cannot be read; anything else is thrown. */
async function outcome(text: string): Promise<string> {
  try {
    await replayRecording(readRecording(text, 'x.ndjson'));
    return 'replayed';
  } catch (error) {
    if (error instanceof UnreadableRecording) return error.message;
    throw error;
  }
}

describe('an edited recording is rejected with the damaged line and the reason:', () => {
  it.each(DAMAGED)('%s', async (what, line) => {
    const text = `${HEADER}\n${JSON.stringify(line)}\n`;
    expect(await outcome(text)).toBe(`x.ndjson is damaged at line 2: ${what}`);
  });

  it('a line nested more than 200 levels deep', async () => {
    const nested = (levels: number) =>
      `{"at":${AT},"kind":"call","operation":"withdraw","body":${'['.repeat(levels)}${']'.repeat(levels)},"response":null}`;
    for (const levels of [200, 10_000, 1_000_000])
      expect(await outcome(`${HEADER}\n${nested(levels)}\n`)).toBe(
        'x.ndjson is damaged at line 2: nested more than 200 levels deep',
      );
    expect(await outcome(`${HEADER}\n${nested(199)}\n`)).toBe('replayed');
  });
});

const ODD: readonly unknown[] = [
  null,
  5,
  -1,
  1.5,
  1e300,
  8e15,
  '',
  '\ud800',
  '<<x',
  '<id-1>',
  '<token of x>',
  '<signed>',
  true,
  [],
  {},
  [null],
  { toString: 1 },
  { toJSON: 1 },
  'constructor',
  'a\nb',
  { error: null },
];

/** Puts a value into one place of a line. */
function edit(line: Line, { place, value }: { place: number; value: unknown }): void {
  const places: [holder: Line, member: string][] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [member, held] of Object.entries(holder)) {
      places.push([holder as Line, member]);
      visit(held);
    }
  };
  visit(line);
  const found = places[place % places.length];
  if (found !== undefined) found[0][found[1]] = value;
}

it(
  'any value anywhere in a recording either replays or is reported as damage',
  { tags: ['slow'], timeout: 120_000 },
  async () => {
    const edits = fc.record({
      row: fc.nat({ max: rows.length - 1 }),
      place: fc.nat(),
      value: fc.constantFrom(...ODD),
    });
    await forAllAsync(80, edits, async ({ row, place, value }) => {
      const line = JSON.parse(rows[row] as string) as Line;
      edit(line, { place, value });
      await outcome([...rows.slice(0, row), JSON.stringify(line), ...rows.slice(row + 1)].join('\n'));
    });
  },
);
