import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/core/domain/errors.js';
import { ENDLESS, abortedAfter } from '../support/endless.js';
import { agentWith, world } from '../support/world.js';
import { ERAS, funded, inProcess, overHttp, served, tell } from './support.js';

async function read(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return (contents[0] as { text: string }).text;
}

describe('resources', () => {
  it('are the fidelity page, the error codes, the account, receipts and events', async () => {
    const { sim, client } = await funded(5);
    const address = sim.wallets[0]?.address ?? '';
    expect(await read(client, 'sim://fidelity')).toMatch(/^# Fidelity/);
    const codes = JSON.parse(await read(client, 'sim://error-codes')) as { code: string }[];
    expect(codes.map(({ code }) => code)).toEqual(Object.keys(ERRORS));
    const account: unknown = JSON.parse(await read(client, `sim://account/${address}`));
    expect(account).toMatchObject({ checking: { usdc: 5 } });
    await expect(read(client, 'sim://account/other')).rejects.toThrow();
  });

  it('show an agent the events of its own wallet only', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 5 });
    await agentWith(sim, 1, { usdc: 5 });
    const [mine, other] = [sim.wallets[0]?.address, sim.wallets[1]?.address];
    const own = JSON.parse(await read(await inProcess(sim), `sim://events/${mine}`)) as { wallet: string }[];
    expect(new Set(own.map(({ wallet }) => wallet))).toEqual(new Set([mine]));
    const client = await inProcess(sim, { given: { world: true } });
    expect(await read(client, 'sim://events')).toContain(other);
  });

  it.each(ERAS)('announce changes to a client that subscribes (%s)', async (era) => {
    const { sim, url } = await served(5);
    const client = await overHttp(url, era);
    const uri = `sim://account/${sim.wallets[0]?.address}`;
    let changes = 0;
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      if (params.uri === uri) changes += 1;
    });
    const listening =
      era === '2025-11-25'
        ? await client.subscribeResource({ uri }).then(() => null)
        : await client.listen({ resourceSubscriptions: [uri] });
    const changed = async () => {
      await sim.agent(0).depositSavings({ amount: 0.01, token: 'USDC' });
      return changes;
    };
    await expect.poll(changed, { interval: 100, timeout: 10_000 }).toBeGreaterThan(0);
    await read(client, uri);
    await listening?.close();
    if (era === '2025-11-25') await client.unsubscribeResource({ uri });
    await expect.poll(() => sim.eventStreams.count, { timeout: 5_000 }).toBe(0);
  });
});

it('prompts are filled in, and refused without their arguments', async () => {
  const client = await inProcess(await world());
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['test_my_agent', 'why_was_this_refused']);
  const given = { agent: 'node agent.mjs' };
  const { messages } = await client.getPrompt({ name: 'test_my_agent', arguments: given });
  expect(JSON.stringify(messages)).toContain('node agent.mjs');
  await expect(client.getPrompt({ name: 'test_my_agent' })).rejects.toThrow('argument');
});

describe('long jumps of time', () => {
  it.each(ERAS)('report their progress (%s)', async (era) => {
    const { url } = await served(50);
    const client = await overHttp(`${url}?world=true`, era);
    const reports: object[] = [];
    await client.callTool(
      { name: 'world_advance', arguments: { by: '30d' } },
      { onprogress: (report) => reports.push(report) },
    );
    const month = 30 * 86_400_000;
    const message = 'It is 2026-01-31T00:00:00.000Z';
    expect(reports.at(-1)).toMatchObject({ progress: month, total: month, message });
  });

  it.each(ERAS)('stop where they are when they are cancelled (%s)', async (era) => {
    const { sim, url } = await served(100, ENDLESS);
    const client = await overHttp(`${url}?world=true`, era);
    const signal = abortedAfter(sim, 1_200);
    const reports: number[] = [];
    const jump = client.callTool(
      { name: 'world_advance', arguments: { by: '30d' } },
      { signal, onprogress: ({ progress }) => reports.push(progress) },
    );
    await expect(jump).rejects.toThrow();
    const { now } = (await tell(client, 'world_time')).content;
    expect(Date.parse(now)).toBeLessThan(Date.UTC(2026, 0, 31));
    expect(reports.length).toBeGreaterThan(0);
  });
});
