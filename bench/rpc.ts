import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { WebSocket } from 'ws';
import { transferTokens } from '../src/chain/solana/instructions.js';
import { type TransactionSigner, buildTransaction } from '../src/chain/solana/wire.js';
import { AgentWallet } from '../src/sdk/client/wallet.js';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { type Simulator, createSimulator } from '../src/index.js';
import { bankrun } from './ceilings/bankrun.js';
import { rawRate } from './ceilings/engine.js';
import { litesvm } from './ceilings/litesvm.js';
import { startLoader } from './loader.js';
import { collectGarbage, ensure, interleave, msOf, randomAddress } from './measure.js';
import type { Benchmark, Row } from './report.js';

const CONNECTIONS = 8;
const COUNT = { bankrun: 150, litesvm: 500 } as const;
const SUBSCRIPTIONS = 1_000;
const SLOT_MS = 400;
const SLOTS_OF_A_DAY = 216_000;

let serial = 0;

/** Signed transfers between two dev wallets, all distinct. */
function transfers(sim: Simulator, count: number): Uint8Array[] {
  const sender: TransactionSigner = AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey ?? '');
  const recipient = sim.wallets[1]?.address ?? '';
  const { blockhash } = sim.chain.latestBlockhash();
  return Array.from({ length: count }, () => {
    serial += 1;
    const token = { mint: sim.facts.usdcMint, amountBase: BigInt(serial), decimals: 6 };
    return buildTransaction([transferTokens(sender.address, recipient, token)], [sender], blockhash);
  });
}

function message(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** getBalance against a bare route with the same response. */
async function reads(): Promise<Row> {
  const sim = await createSimulator({ engine: 'litesvm' });
  const server = await sim.listenRpc();
  const body = message('getBalance', sim.wallets[0]?.address);
  const answer: unknown = JSON.parse(await sim.rpc(body));
  const app = new Hono().post('/', (context) => context.json(answer));
  const barePort = await new Promise<number>((resolve) => {
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port));
  });
  const loader = startLoader();
  const load = { path: '/', bodies: [body], connections: CONNECTIONS, ms: 300, client: 'sockets' } as const;
  const rates = await interleave(
    { rounds: 9, warmUp: 2 },
    {
      bare: () => loader.rate({ ...load, port: barePort }),
      balance: () => loader.rate({ ...load, port: server.port }),
    },
  );
  loader.stop();
  await sim.close();
  const target = { kind: 'at least', value: 0.5 } as const;
  return { name: 'getBalance over HTTP', unit: '1/s', measured: rates.balance, ceiling: rates.bare, target };
}

/** sendTransaction through the simulator, against the engine without it. */
async function sends(engine: EmbeddedEngineName): Promise<Row[]> {
  // Without the moment that transactions wait before they run: it would be all that is measured.
  const sim = await createSimulator({ engine, landingDelay: '0ms' });
  const server = await sim.listenRpc();
  const raw = engine === 'litesvm' ? litesvm() : await bankrun();
  const count = COUNT[engine];
  const loader = startLoader();
  const rate = (options: object) => async () => {
    const before = await sim.chain.balances(sim.wallets[0]?.address ?? '');
    const bodies = transfers(sim, count).map((bytes) =>
      message('sendTransaction', Buffer.from(bytes).toString('base64'), { encoding: 'base64', ...options }),
    );
    const load = {
      port: server.port,
      path: '/',
      bodies,
      once: true,
      connections: CONNECTIONS,
      ms: 0,
    } as const;
    const sent = await loader.rate({ ...load, client: 'sockets' });
    const after = await sim.chain.balances(sim.wallets[0]?.address ?? '');
    ensure(before.lamports - after.lamports === 5_000n * BigInt(count), 'not every transfer ran');
    return sent;
  };
  const rates = await interleave(
    { rounds: 9, warmUp: 3 },
    { raw: () => rawRate(raw, count), checked: rate({}), unchecked: rate({ skipPreflight: true }) },
  );
  loader.stop();
  await sim.close();
  const target = { kind: 'at least', value: 0.3 } as const;
  const name = `${engine}: sendTransaction over HTTP`;
  return [
    { name, unit: '1/s', measured: rates.checked, ceiling: rates.raw, target },
    {
      name: `${name}, no preflight`,
      unit: '1/s',
      measured: rates.unchecked,
      ceiling: rates.raw,
      target: null,
    },
  ];
}

/** Transfers with and without a thousand open subscriptions, one of them to an account that each transfer changes. */
async function subscriptions(engine: EmbeddedEngineName): Promise<Row> {
  const [plain, watched] = [await createSimulator({ engine }), await createSimulator({ engine })];
  const server = await watched.listenRpc();
  const socket = new WebSocket(server.webSocketUrl);
  await once(socket, 'open');
  let answers = 0;
  let notifications = 0;
  socket.on('message', (data: Buffer) => {
    if (data.includes('accountNotification')) notifications += 1;
    else answers += 1;
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  for (let at = 0; at < SUBSCRIPTIONS; at += 1) {
    const address = at === 0 ? watched.wallets[0]?.address : randomAddress();
    socket.send(message('accountSubscribe', address, { encoding: 'base64' }));
    await until(() => answers > at);
  }
  const count = COUNT[engine];
  const rate = (sim: Simulator) => async () => {
    const all = transfers(sim, count);
    const told = notifications;
    const ms = await msOf(async () => {
      for (const bytes of all) {
        ensure((await sim.chain.submit(bytes)).kind === 'processed', 'a transfer failed');
      }
      // Notifications are written on the next event loop turn. Reading them is the listener's work.
      for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    });
    if (sim === watched) await until(() => notifications === told + count);
    return (count / ms) * 1_000;
  };
  const rates = await interleave({ rounds: 9, warmUp: 3 }, { plain: rate(plain), watched: rate(watched) });
  socket.terminate();
  await plain.close();
  await watched.close();
  const target = { kind: 'at least', value: 0.8 } as const;
  const name = `${engine}: transfers with 1,000 subscriptions`;
  return { name, unit: '1/s', measured: rates.watched, ceiling: rates.plain, target };
}

/** The memory that a day of empty slots retains. */
async function idleDay(): Promise<Row> {
  const sim = await createSimulator({ engine: 'bankrun', time: 'frozen' });
  const server = await sim.listenRpc();
  const passSlots = async (slots: number) => {
    for (let slot = 0; slot < slots; slot += 1) {
      await sim.advance(SLOT_MS);
      if (slot % 1_000 === 0) await sim.rpc(message('getLatestBlockhash'));
    }
  };
  const inUse = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  // In the first days caches fill and code is compiled; a later day is measured.
  await passSlots(2 * SLOTS_OF_A_DAY);
  const before = inUse();
  await passSlots(SLOTS_OF_A_DAY);
  const measured = inUse() - before;
  await server.close();
  await sim.close();
  const target = { kind: 'at most', value: 200_000 } as const;
  return { name: 'memory that a day of empty slots leaves', unit: 'bytes', measured, ceiling: null, target };
}

/** Processor time of an idle served world next to two bankruns, against that of the bankruns: the mean of each. */
async function idleLoad(): Promise<Row> {
  const used = async () => {
    const from = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
  const engines = [await bankrun(), await bankrun()];
  const raw = await interleave({ rounds: 3, warmUp: 1 }, { two: used });
  const sim = await createSimulator({ engine: 'bankrun' });
  await sim.listen();
  await sim.listenRpc();
  const all = await interleave({ rounds: 3, warmUp: 1 }, { three: used });
  for (const engine of engines) ensure((await rawRate(engine, 1)) > 0, 'an engine is gone');
  await sim.close();
  const name = 'idle processor time a second: 2 bankruns and a world';
  const target = { kind: 'at most', value: 1.1 } as const;
  return { name, unit: 'ms', measured: all.three / 3, ceiling: raw.two / 2, target };
}

/** Solana's JSON-RPC and PubSub. */
export const rpc: Benchmark = {
  name: 'rpc',
  run: async () => [
    await idleLoad(),
    await reads(),
    ...(await sends('bankrun')),
    ...(await sends('litesvm')),
    await subscriptions('bankrun'),
    await subscriptions('litesvm'),
    await idleDay(),
  ],
};
