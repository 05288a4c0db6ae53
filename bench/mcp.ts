import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createSimulator } from '../src/index.js';
import { connectionOptions } from '../src/mcp/connection-options.js';
import { backendHere } from '../src/mcp/in-process.js';
import { McpService } from '../src/mcp/mcp-service.js';
import type { Simulator } from '../src/simulator/simulator.js';
import { collectGarbage, ensure, interleave } from './measure.js';
import type { Benchmark, Row } from './report.js';

const CALLS = 500;
// So many that caches, which fill and empty meanwhile, weigh little.
const SESSIONS = 1_000;
const WARM_UP = 500;

function newClient(): Client {
  return new Client({ name: 'bench', version: '1' });
}

/** Microseconds of a call, over many. */
async function microsOf(call: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  for (let at = 0; at < CALLS; at += 1) await call();
  return ((performance.now() - from) / CALLS) * 1_000;
}

/** A read and a write by the official client in this process, against the same by the typed client. */
async function callRows(sim: Simulator): Promise<Row[]> {
  const agent = sim.agent(0);
  const service = new McpService(
    backendHere(sim, (request) => sim.fetch(request)),
    {
      onBug: (error) => {
        throw error;
      },
    },
  );
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const session = await service.sessionAt('0');
  await service.createServer({ session, options: connectionOptions({}) }).connect(theirs);
  const client = newClient();
  await client.connect(mine);
  const amount = { amount: 0.000_001, token: 'USDC' } as const;
  const tool = (name: string, args: Record<string, unknown>) => async () => {
    const { isError } = await client.callTool({ name, arguments: args });
    ensure(isError !== true, `${name} was refused`);
  };
  const micros = await interleave(
    { rounds: 15, warmUp: 3 },
    {
      account: () => microsOf(() => agent.account()),
      accountTool: () => microsOf(tool('account', {})),
      saving: () => microsOf(() => agent.depositSavings(amount)),
      savingTool: () => microsOf(tool('savings_deposit', amount)),
    },
  );
  const target = { kind: 'at most', value: 3 } as const;
  const name = 'MCP tool call in process, by the typed client';
  return [
    { name: `${name}: account`, unit: 'µs', measured: micros.accountTool, ceiling: micros.account, target },
    { name: `${name}: saving`, unit: 'µs', measured: micros.savingTool, ceiling: micros.saving, target },
  ];
}

/** Collects garbage when the streams of the last clients have ended. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  collectGarbage();
}

/** What remains of a session over HTTP after its end, however it ends. */
async function sessionRow(sim: Simulator): Promise<Row> {
  const { origin } = await sim.listen();
  const url = new URL(`${origin}/mcp`);
  const visit = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      const client = newClient();
      const transport = new StreamableHTTPClientTransport(url);
      await client.connect(transport);
      await client.listTools();
      await transport.terminateSession();
      await client.close();
    }
  };
  await visit(WARM_UP);
  await settled();
  const before = process.memoryUsage().heapUsed;
  await visit(SESSIONS);
  await settled();
  const measured = (process.memoryUsage().heapUsed - before) / SESSIONS;
  const target = { kind: 'at most', value: 2_000 } as const;
  return { name: 'memory of an MCP session after its end', unit: 'bytes', measured, ceiling: null, target };
}

/** The Model Context Protocol over a world in this process. */
export const mcp: Benchmark = {
  name: 'mcp',
  run: async () => {
    const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
    await sim.agent(0).fund(1_000, 'USDC');
    const rows = [...(await callRows(sim)), await sessionRow(sim)];
    await sim.close();
    return rows;
  },
};
