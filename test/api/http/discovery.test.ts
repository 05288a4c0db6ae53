import { describe, expect, it } from 'vitest';
import { world } from '../../support/world.js';

describe('discovery', () => {
  it('states the RPC while it is served, with its own path for a fork', async () => {
    const sim = await world();
    const named = async (path: string) =>
      ((await (await sim.fetch(path)).json()) as { rpc_url?: string }).rpc_url;
    expect(await named('/.well-known/agent.json')).toBeUndefined();
    const { url } = await sim.listenRpc();
    const { id } = await sim.openFork();
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
