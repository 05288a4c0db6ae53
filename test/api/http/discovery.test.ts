import { describe, expect, it } from 'vitest';
import { world } from '../../support/world.js';

describe('discovery', () => {
  it('publishes agent.json, agents.json and docs', async () => {
    const sim = await world();
    const read = async (path: string) => (await (await sim.fetch(path)).json()) as Record<string, never>;
    const card = await read('/.well-known/agent.json');
    expect(card).toMatchObject({
      version: '2.0.0',
      url: 'http://sim.local/api/v1',
      authentication: { schemes: ['wallet_signature'] },
      treasury_address: sim.facts.treasury,
      receipt_issuer: sim.facts.issuerPublicKey,
    });
    expect(card).not.toHaveProperty('rpc_url');
    expect((await read('/.well-known/agents.json'))['agents']).toEqual([card]);
    expect(await read('/api/v1/docs')).toMatchObject({
      baseUrl: 'http://sim.local/api/v1',
      version: '2.0.0',
    });
  });

  it('states the RPC while it is served, with its own path for a fork', async () => {
    const sim = await world();
    const { url } = await sim.listenRpc();
    const { id } = await sim.openFork();
    const named = async (path: string) =>
      ((await (await sim.fetch(path)).json()) as { rpc_url?: string }).rpc_url;
    for (const path of ['/.well-known/agent.json', '/api/v1/docs']) {
      expect(await named(path)).toBe(url);
      expect(await named(`/w/${id}${path}`)).toBe(`${url}/w/${id}`);
    }
  });

  it('states the RPC of a server on all addresses by the address of the request', async () => {
    const sim = await world();
    const { port } = await sim.listenRpc({ host: '0.0.0.0' });
    const answer = await sim.fetch('http://192.0.2.7:4020/.well-known/agent.json');
    expect(await answer.json()).toMatchObject({ rpc_url: `http://192.0.2.7:${port}` });
  });
});
