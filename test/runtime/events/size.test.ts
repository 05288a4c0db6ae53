import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { shortText } from '../../../src/core/domain/short-text.js';
import { eventJson } from '../../../src/runtime/events/event.js';
import { LogFile } from '../../../src/runtime/events/log-file.js';
import { EventLog } from '../../../src/runtime/events/log.js';
import { RawCaller, agentWith, world } from '../../support/world.js';
import { call } from '../../api/rpc/support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const MIB = 1_024 * 1_024;

function request(path: string) {
  const nothing = { operation: null, wallet: null, details: null, input: null, answer: null, faults: [] };
  return { kind: 'request', interface: 'api', method: 'GET', path, ...nothing } as const;
}

it('the event log keeps as many events as fit into its bytes, and always the last', () => {
  const log = new EventLog(() => 0, 100_000);
  for (let at = 0; at < 1_000; at += 1)
    log.append({ ...request(`/${at}`), status: 404, code: 'x', message: 'm'.repeat(2_000) }, null);
  expect(log.last).toBe(1_000);
  expect(log.oldest).toBeGreaterThan(950);
  expect(log.at(log.oldest - 1)).toBeNull();
  const { events } = log.page({ after: 0, limit: 1_000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => log.oldest + at));
  const small = new EventLog(() => 0, 1);
  for (const path of ['/a', '/b'])
    small.append({ ...request(path), status: 200, code: null, message: null }, null);
  expect([small.oldest, small.at(2)?.body]).toMatchObject([2, { path: '/b' }]);
});

it('the log file contains every event, also those dropped from memory', () => {
  const folder = temporaryFolder();
  const log = new EventLog(() => 0, 100_000);
  const file = new LogFile(log, join(folder, 'log.ndjson'), () => undefined);
  for (let at = 0; at < 400; at += 1)
    log.append({ ...request(`/${at}`), status: 404, code: 'x', message: 'm'.repeat(2_000) }, null);
  file.close();
  expect(readFileSync(join(folder, 'log.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(400);
});

it('long texts of a request are truncated in events and errors, on every interface', async () => {
  const sim = await world();
  const name = 'x'.repeat(900_000);
  const answer = await call(sim, name);
  expect(answer.error?.message).toMatch(/^Method not found: x{255}…$/);
  await agentWith(sim, 0, { usdc: 1 });
  const caller = await RawCaller.signedIn(sim, 0);
  const token = 'y'.repeat(60_000);
  const wrong = await caller.post('/agent/account/withdraw', { amount: 1, token, [token]: 1 });
  const lost = await sim.fetch(`http://sim.local/${'z'.repeat(60_000)}`);
  const control = await sim.fetch(`http://sim.local/_sim/v1/${'z'.repeat(60_000)}`);
  const enormous = await sim.fetch('http://sim.local/_sim/v1/time/advance', {
    method: 'POST',
    body: JSON.stringify({ by: '1d', [token]: 1 }),
  });
  for (const text of [
    JSON.stringify(wrong.body),
    await lost.text(),
    await control.text(),
    await enormous.text(),
  ])
    expect(text.length).toBeLessThan(5_000);
  for (const event of sim.events.page({ after: 0, limit: 1_000 }).events)
    expect(JSON.stringify(eventJson(event)).length).toBeLessThan(6_000);
});

it('a truncated text does not retain the long one in memory', { tags: ['slow'] }, () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const long = JSON.stringify('x'.repeat(MIB));
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 50 }, () => shortText(JSON.parse(long) as string));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * MIB);
  expect(kept[49]).toHaveLength(256);
});
