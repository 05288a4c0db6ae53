// @module-tag slow
import { expect, it } from 'vitest';
import { printable, printableLines } from '../../src/core/printable.js';
import { readable } from '../../src/cli/remote/table.js';
import { postJson } from '../support/post-json.js';
import { here } from './here.js';
import { serving } from './process.js';

const FORGED = 'POST /api/v1/agent/account/withdraw agent 200 - 1.0ms';
const NAME = `x\n${FORGED}\r\u001b[2J\u009b1m\u2028\u202e`;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/;

function expectNoForgedLine(text: string): void {
  expect(text).toContain('x\\n');
  expect(text).not.toMatch(UNPRINTABLE);
  expect(text.split('\n').filter((line) => line.startsWith(FORGED))).toEqual([]);
}

it('line breaks and escape sequences in a method name forge no line of sim start, sim log and sim explain', async () => {
  const { command, ready, origin, stop } = await serving('--engine', 'litesvm');
  const answer = await postJson(ready.rpcUrl, { jsonrpc: '2.0', id: 1, method: NAME });
  const id = answer.headers.get('x-request-id') as string;
  await command.complained('ms\n');
  expectNoForgedLine(command.stderr);
  for (const args of [
    ['log', origin],
    ['log', origin, '--json'],
    ['explain', id, '--url', origin],
  ]) {
    const { code, stdout } = await here(...args);
    expect(code).toBe(0);
    expectNoForgedLine(stdout.replaceAll('\\\\', '\\'));
  }
  const { stdout } = await here('log', origin, '--json', '--request', id);
  expect((JSON.parse(stdout) as { path: string }).path).toBe(NAME);
  await stop();
});

it('printable text is unchanged, and escaped JSON parses to the same value', () => {
  const text = 'Zürich −5 USDC … 日本 👍 "x" \\';
  expect(printable(text)).toBe(text);
  const json = JSON.stringify({ [NAME]: '\u{e0001}\u007f' });
  expect(printable(json)).not.toMatch(UNPRINTABLE);
  expect(JSON.parse(printable(json))).toEqual(JSON.parse(json));
  expect(printableLines('a\nb\r')).toBe('a\nb\\u000d');
  expectNoForgedLine(printableLines(readable({ entries: [{ terms: { memo: NAME } }] })));
});
