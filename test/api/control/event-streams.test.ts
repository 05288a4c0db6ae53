import { expect, it, onTestFinished, vi } from 'vitest';
import { here } from '../../cli/here.js';
import { EventLog } from '../../../src/runtime/events/log.js';
import { EventStreams } from '../../../src/runtime/events/stream.js';
import { servedWorld, world } from '../../support/world.js';

it('event streams over the limit get 429 until one closes', async () => {
  const { origin } = await servedWorld({ limits: { eventStreams: 2 } });
  const open = async () => {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const answer = await fetch(`${origin}/_sim/v1/events/stream`, { signal: ending.signal });
    return { answer, ending };
  };
  const heads = await Promise.all(
    [1, 2, 3].map(() => fetch(`${origin}/_sim/v1/events/stream`, { method: 'HEAD' })),
  );
  expect(heads.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [first, second, third] = [await open(), await open(), await open()];
  expect([first, second, third].map(({ answer }) => answer.status)).toEqual([200, 200, 429]);
  const { code, error } = (await third.answer.json()) as { code: string; error: string };
  expect(code).toBe('too_many_event_streams');
  expect(error).toContain('2 event streams are open');
  const log = await here('log', origin, '--follow', '--json');
  expect(log).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^sim: 2 event streams are open.*\n$/),
  });
  first.ending.abort();
  await vi.waitFor(async () => expect((await open()).answer.status).toBe(200));
});

/** A stream of a log's events from a number on, after what a stream begins with; `text` is what comes next. */
async function streamOf(log: EventLog, after = 0) {
  const reader = (new EventStreams(log, 1).open(after) as ReadableStream<Uint8Array>).getReader();
  onTestFinished(() => reader.cancel());
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  await text();
  return text;
}

const EVENT = { kind: 'world', what: 'snapshot', id: '' } as const;

it('an unread event stream buffers one chunk and then reports how many events it missed', async () => {
  const log = new EventLog(() => 0, 1_000_000);
  const text = await streamOf(log);
  const more = {
    operation: null,
    wallet: null,
    status: 404,
    details: null,
    input: null,
    answer: null,
    faults: [],
  };
  const body = { kind: 'request', interface: 'api', method: 'GET', path: '/', ...more } as const;
  for (let at = 0; at < 5_000; at += 1) {
    log.append({ ...body, code: 'x', message: 'm'.repeat(2_000) }, null);
    if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const [waiting, next] = [await text(), await text()];
  expect(waiting.length).toBeLessThan(70_000);
  expect(next).toMatch(/^event: gap\ndata: \{"missed":\d{4}\}\n/);
});

it('an event stream that resumes after a number of an earlier log reports a gap and begins with the oldest event', async () => {
  const log = new EventLog(() => 0);
  log.append(EVENT, null);
  const text = await streamOf(log, 41);
  expect(await text()).toBe('event: gap\ndata: {"missed":null}\n\n');
  expect(await text()).toMatch(/^id: 1\n/);
  log.append(EVENT, null);
  expect(await text()).toMatch(/^id: 2\n/);
});

it('an event comes at once when none came before it, and those of a busy world come together', async () => {
  const log = new EventLog(() => 0, 1_000_000);
  const text = await streamOf(log);
  let chunks = 0;
  let seen = 0;
  const until = async (count: number) => {
    for (; seen < count; chunks += 1) seen += (await text()).match(/^id: /gm)?.length ?? 0;
  };
  log.append(EVENT, null);
  await until(1);
  const read = until(201);
  const startedMs = performance.now();
  for (let at = 0; at < 200; at += 1) {
    log.append(EVENT, null);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await read;
  expect(chunks).toBeLessThanOrEqual(3 + (performance.now() - startedMs) / 20);
});

it('an event stream ends when its world is closed, read or unread', async () => {
  const sim = await world();
  const { id } = await sim.openFork();
  const open = async () => (await sim.fetch(`/w/${id}/_sim/v1/events/stream?after=0`)).body as ReadableStream;
  const [read, unread] = [(await open()).getReader(), (await open()).getReader()];
  await read.read();
  const waiting = read.read();
  await sim.dropFork(id);
  const ends = async (reader: ReadableStreamDefaultReader) => {
    while (!(await reader.read()).done);
  };
  await waiting;
  await Promise.all([ends(read), ends(unread)]);
  expect((await sim.fetch(`/w/${id}/_sim/v1/events/stream`)).status).toBe(404);
});

it('a dozen event streams are no leak for Node, which would warn of one', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const streams = new EventStreams(new EventLog(() => 0, 1_000), 32);
  for (let opened = 0; opened < 12; opened += 1) streams.open(0);
  await new Promise(setImmediate);
  streams.close();
  expect(warnings).toEqual([]);
});
