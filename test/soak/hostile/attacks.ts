import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { WebSocket } from 'ws';
import { ask, many, post } from './calls.js';
import type { Attack } from './target.js';

const MIB = 1_048_576;

const rpc = (method: string, params: unknown, id = 1) => ({ jsonrpc: '2.0', id, method, params });

/** A raw connection. */
async function raw(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setMaxListeners(0);
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Sends pieces until the server closes the connection. */
async function pour(socket: Socket, head: string, piece: Buffer, most: number): Promise<void> {
  let sent = 0;
  socket.write(head);
  socket.resume();
  while (sent < most && !socket.destroyed && socket.writable) {
    if (!socket.write(piece))
      await Promise.race([once(socket, 'drain'), once(socket, 'close'), once(socket, 'error')]).catch(
        () => undefined,
      );
    sent += piece.length;
  }
  socket.destroy();
}

async function webSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined);
  return socket;
}

/** What clients do, with and without a token; the last ones may break their own world, but the process must survive. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'RPC methods with names of a million characters': (target) =>
    many(2_100, 4, (at) =>
      ask(target.ready.rpcUrl, post(JSON.stringify(rpc(`${at}${'x'.repeat(1_000_000)}`, [])))),
    ),

  'long paths and queries': (target) =>
    many(5_000, 8, (at) => ask(`${target.origin}/${'y'.repeat(8_000)}/${at}?${'z'.repeat(4_000)}`)),

  'names of tokens of 60 KB from a signed-in agent': async (target) => {
    const agent = target.agent(1);
    const { token } = await agent.signIn();
    const body = JSON.stringify({ amount: 1, token: 'T'.repeat(60_000) });
    await many(5_000, 8, () =>
      ask(
        `${target.ready.baseUrl}/agent/account/savings/deposit`,
        post(body, { authorization: `Bearer ${token}` }),
      ),
    );
  },

  'batches of large answers': async (target) => {
    const accounts = Array.from({ length: 100 }, () => 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
    const batch = Array.from({ length: 200 }, (_, id) => rpc('getMultipleAccounts', [accounts], id));
    await many(4, 2, () => ask(target.ready.rpcUrl, post(JSON.stringify(batch))));
  },

  'batches of wide ranges': async (target) => {
    await ask(`${target.origin}/_sim/v1/time/advance`, post('{"by":"1d"}'));
    const batch = Array.from({ length: 100 }, (_, id) => rpc('getBlocks', [0, 500_000], id));
    await many(4, 2, () => ask(target.ready.rpcUrl, post(JSON.stringify(batch))));
  },

  'bodies without end': async (target) => {
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 0x20), Buffer.from('\r\n')]);
    for (const path of ['/_sim/v1/faucet', '/api/v1/agent/auth/challenge', '/facilitator/verify']) {
      const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n`;
      await pour(await raw(target.origin), head, piece, 600 * MIB);
    }
    const head = 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n';
    await pour(await raw(target.ready.rpcUrl), head, piece, 600 * MIB);
  },

  'subscriptions of every account, on many connections': async (target) => {
    const open = await Promise.all(Array.from({ length: 20 }, () => webSocket(target.ready.webSocketUrl)));
    for (const socket of open)
      for (let id = 0; id < 2_000 && socket.readyState === WebSocket.OPEN; id += 1)
        socket.send(JSON.stringify(rpc('slotSubscribe', [], id)));
    for (let round = 0; round < 20; round += 1) await ask(`${target.origin}/_sim/v1/time`);
    for (const socket of open) socket.terminate();
  },

  'WebSockets that are refused and go on': async (target) => {
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://evil.example\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    await many(1_000, 20, async (at) => {
      const socket = await raw(target.ready.webSocketUrl.replace('ws:', 'http:'));
      socket.write(head(at % 2 === 0 ? '/' : '/nowhere'));
      await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined);
      if (!socket.destroyed) socket.end('x');
    });
  },

  'event streams that nobody reads': async (target) => {
    const head = 'GET /_sim/v1/events/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
    const open = await Promise.all(Array.from({ length: 100 }, () => raw(target.origin)));
    for (const socket of open) socket.pause().write(head);
    await many(300, 4, () => ask(`${target.origin}/_sim/v1/wallets`, post('{"SOL":1}')));
    for (const socket of open) socket.destroy();
  },

  'requests that stop in the middle': async (target) => {
    const head =
      'POST /api/v1/agent/auth/challenge HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 50\r\n\r\n';
    const open = await Promise.all(Array.from({ length: 300 }, () => raw(target.origin)));
    for (const socket of open) socket.write(`${head}{"wal`);
    await ask(`${target.origin}/`);
    for (const socket of open) socket.destroy();
  },

  'forks that are made at the same time, and dropped': async (target) => {
    // Pooled connections would count as descriptors.
    await many(150, 150, () => ask(`${target.origin}/_sim/v1/forks`, post('{}', { connection: 'close' })));
    const list = await fetch(`${target.origin}/_sim/v1/forks`);
    const { forks } = (await list.json()) as { forks: { id: string }[] };
    if (forks.length > 4) throw new Error(`there are ${forks.length} forks`);
    for (const { id } of forks) await ask(`${target.origin}/_sim/v1/forks/${id}`, { method: 'DELETE' });
  },

  'keys of calls that are never repeated': async (target) => {
    const agent = target.agent(2);
    await agent.fund(100, 'USDC');
    const money = { amount: 0.000001, token: 'USDC' } as const;
    await many(5_000, 8, (at) => {
      const idempotencyKey = `key-${at}-${'k'.repeat(100)}`;
      return agent.depositSavings(money, { idempotencyKey }).catch(() => undefined);
    });
  },
};
