// @module-tag slow
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Facilitator } from '../../src/sdk/x402/facilitator/facilitator.js';
import { servedWorld } from '../support/world.js';
import { rpcMessage } from './rpc/support.js';

const MARK = '\uFEFF';
const HEALTH = rpcMessage('getHealth');

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

it('every interface skips one BOM before JSON and rejects a second one', async () => {
  const { sim, origin } = await servedWorld();
  const rpc = await sim.listenRpc();
  const challenge = JSON.stringify({ wallet: sim.wallets[0]?.address });
  const ways: Record<string, (mark: string) => Promise<boolean>> = {
    api: async (mark) => (await post(`${origin}/api/v1/agent/auth/challenge`, mark + challenge)).ok,
    control: async (mark) => (await post(`${origin}/_sim/v1/time/advance`, `${mark}{"by":"1s"}`)).ok,
    rpc: async (mark) => 'result' in ((await (await post(rpc.url, mark + HEALTH)).json()) as object),
    pubsub: async (mark) => {
      const socket = new WebSocket(rpc.webSocketUrl);
      await once(socket, 'open');
      socket.send(mark + HEALTH);
      const [data] = (await once(socket, 'message')) as [Buffer];
      socket.terminate();
      return 'result' in (JSON.parse(data.toString('utf8')) as object);
    },
    facilitator: async (mark) => {
      const sdk = { facilitator: () => ({ verify: async () => ({ isValid: true }) }) };
      const parts = { chain: { listen: () => undefined } };
      const facilitator = new Facilitator(sdk as never, parts as never);
      const body = `${mark}{"paymentPayload":{},"paymentRequirements":{}}`;
      const request = new Request('http://sim.local/facilitator/verify', { method: 'POST', body });
      return (await facilitator.answer('verify', request)).response.ok;
    },
  };
  for (const [name, isTaken] of Object.entries(ways)) {
    const taken = [await isTaken(''), await isTaken(MARK), await isTaken(MARK + MARK)];
    expect(taken, name).toEqual([true, true, false]);
  }
});
