import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../../src/api/control/client.js';
import { scenarioOf } from '../../../src/cli/recording/to-scenario.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { agentWith, controlOf, expectRefusal, world, worldWithControl } from '../../support/world.js';
import { played, troubles } from '../../testing/scenario/played.js';

/** A page of the control interface, with the header that its browser adds. */
function pageOf(sim: Simulator): ControlClient {
  const site = { 'sec-fetch-site': 'same-origin' };
  const fetch = (url: string, init: RequestInit) =>
    sim.fetch(url, { ...init, headers: { ...(init.headers as object), ...site } });
  return new ControlClient({ origin: 'http://sim.local', fetch });
}

const operationsOf = (sim: Simulator) =>
  sim.events
    .page({ after: 0, limit: 1_000, kind: 'request' })
    .events.flatMap(({ body }) => (body.kind === 'request' ? [body.operation] : []));

describe('looking at a world', () => {
  it('leaves no event, unless it is refused', async () => {
    const { sim, control } = await worldWithControl();
    await control.do('time');
    await control.do('invariants');
    await control.do('explain', { id: 'req_00000099' }).catch(() => undefined);
    await control.do('snapshot', { body: {} });
    expect(operationsOf(sim)).toEqual(['explain', 'snapshot']);
  });

  it('from a page is in no recording, which has what the page does', async () => {
    const sim = await world();
    const page = pageOf(sim);
    await page.do('startRecording', { body: {} });
    await page.do('time');
    await page.do('forks');
    await page.do('advance', { body: { by: '1d' } });
    await controlOf(sim).do('time');
    const { recording } = await page.do('stopRecording', { body: {} });
    const commands = (recording ?? '')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { command?: string }).command)
      .filter((command) => command !== undefined);
    expect(commands).toEqual(['advance', 'time']);
  });
});

it('the event of a fork says what it was made from', async () => {
  const { control } = await worldWithControl({ history: 10 });
  const { id } = await control.do('snapshot', { body: {} });
  await control.do('fork', { body: { snapshot: id } });
  await control.do('fork', { body: {} });
  await control.do('fork', { body: { before: 'ctl_00000001' } });
  const { events } = await control.do('events', { query: { kind: 'world' } });
  expect(events.filter(({ what }) => what === 'forked').map(({ id: fork, from }) => [fork, from])).toEqual([
    ['fork-1', id],
    ['fork-2', undefined],
    ['fork-3', 'before ctl_00000001'],
  ]);
});

describe('a recording over the control interface', () => {
  const bytesOf = (text: string | null) => new TextEncoder().encode(text ?? '');

  it('becomes a scenario that holds when the world was new', async () => {
    const sim = await world({}, { toScenario: scenarioOf });
    const control = pageOf(sim);
    await control.do('time');
    await control.do('startRecording', { body: { isNew: true } });
    const agent = await agentWith(sim, 0, { usdc: 100 });
    await agent.withdraw({ amount: 500, token: 'USDC' }).catch(() => undefined);
    await agent.withdraw({ amount: 5, token: 'USDC' });
    const { recording } = await control.do('stopRecording', { body: {} });
    const { scenario, steps } = await control.do('scenarioOfRecording', {
      bytes: bytesOf(recording),
      query: { name: 'A refusal' },
    });
    expect(scenario).toContain('name: A refusal');
    expect(scenario).toContain('insufficient_balance');
    expect(steps).toBe(3);
    expect(troubles(await played(scenario))).toEqual([]);
  });

  it('is refused as a scenario when it is none, and where nothing can convert it', async () => {
    const able = controlOf(await world({}, { toScenario: scenarioOf }));
    await expectRefusal(able.do('scenarioOfRecording', { bytes: bytesOf('{"a":1}') }), '');
    const unable = controlOf(await world());
    await expectRefusal(unable.do('scenarioOfRecording', { bytes: bytesOf('') }), 'sim record to-scenario');
  });
});
