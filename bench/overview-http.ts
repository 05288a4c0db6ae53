import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createSimulator } from '../src/index.js';
import { BASE_PATH } from '../src/contract/endpoints.js';
import { ensure, interleave } from './measure.js';
import type { Load } from './load.js';
import { startLoader } from './loader.js';
import type { Benchmark } from './report.js';

const PATH = `${BASE_PATH}/agent/account`;
const LOAD = { connections: 8, ms: 300 } as const;

/** The account overview over HTTP with a token, against a bare route that responds with the same JSON. */
export const overviewHttp: Benchmark = {
  name: 'overview-http',
  run: async () => {
    const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
    const agent = sim.agent(0);
    await agent.fund(100, 'USDC');
    await agent.depositSavings({ amount: 10, token: 'USDC' });
    const { token } = await agent.signIn();
    const authorization = `Bearer ${token}`;
    const server = await sim.listen();
    const answer: unknown = await (await fetch(server.origin + PATH, { headers: { authorization } })).json();
    ensure(typeof answer === 'object' && answer !== null && !('code' in answer), 'no overview');

    const bareApp = new Hono().get(PATH, (context) => context.json(answer));
    const barePort = await new Promise<number>((resolve) => {
      serve({ fetch: bareApp.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port));
    });
    const loader = startLoader();
    const load = { path: PATH, authorization, ...LOAD };
    const rate = (port: number, client: Load['client']) => () => loader.rate({ ...load, port, client });
    const rates = await interleave(
      { rounds: 9, warmUp: 2 },
      {
        bare: rate(barePort, 'sockets'),
        overview: rate(server.port, 'sockets'),
        bareByNode: rate(barePort, 'node:http'),
        overviewByNode: rate(server.port, 'node:http'),
      },
    );
    loader.stop();
    await sim.close();
    const target = { kind: 'at least', value: 0.5 } as const;
    const name = 'account overview over HTTP';
    return [
      { name, unit: '1/s', measured: rates.overview, ceiling: rates.bare, target },
      {
        name: `${name}, node:http client`,
        unit: '1/s',
        measured: rates.overviewByNode,
        ceiling: rates.bareByNode,
        target: null,
      },
    ];
  },
};
