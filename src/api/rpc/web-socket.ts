import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { textOf } from '../../core/request-body.js';
import { Outbox } from './outbox.js';
import type { Rpc } from './rpc.js';
import { MAX_BODY_BYTES } from './limits.js';

/** The most messages that may be queued for a response. */
const MAX_WAITING_MESSAGES = 1_000;
const MAX_CONNECTIONS = 1_000;

const POLICY_VIOLATION = 1_008;
const TRY_AGAIN_LATER = 1_013;

export interface WebSocketUpgrader {
  enter(rpc: Rpc, upgrade: { request: IncomingMessage; socket: Socket; head: Buffer }): void;
  close(): void;
}

function serve(rpc: Rpc, socket: WebSocket): void {
  const outbox = new Outbox({
    waitingBytes: () => socket.bufferedAmount,
    write: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text);
    },
    ping: (payload) => {
      if (socket.readyState === socket.OPEN) socket.ping(payload);
    },
    drop: () => socket.terminate(),
  });
  const session = rpc.session({ began: () => outbox.began(), send: (text) => outbox.notify(text) });
  socket.on('pong', (payload: Buffer) => outbox.ponged(payload.toString('latin1')));
  let [waiting, waitingBytes] = [0, 0];
  const { rpcWaitingBytes } = rpc.limits;
  const respond = async (before: Promise<void>, data: Buffer) => {
    await before;
    if (waiting > 1) await othersTurn();
    const answer = socket.readyState === socket.OPEN ? await session.answer(textOf(data)) : null;
    waiting -= 1;
    waitingBytes -= data.length;
    if (answer === null) return;
    if (answer.isLost) socket.terminate();
    else if (answer.text !== '') outbox.answer(answer.text);
  };
  let turn: Promise<void> = Promise.resolve();
  socket.on('message', (data: Buffer) => {
    waiting += 1;
    waitingBytes += data.length;
    if (waitingBytes > rpcWaitingBytes) {
      socket.close(POLICY_VIOLATION, `more than ${rpcWaitingBytes} bytes are waiting for a response`);
      return;
    }
    if (waiting > MAX_WAITING_MESSAGES) {
      socket.close(POLICY_VIOLATION, `more than ${MAX_WAITING_MESSAGES} messages are waiting for a response`);
      return;
    }
    turn = respond(turn, data);
  });
  // An invalid frame closes the connection; ws notifies the peer.
  socket.on('error', () => undefined);
  socket.on('close', () => session.end());
}

export async function createWebSocketUpgrader(): Promise<WebSocketUpgrader> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  return {
    enter: (rpc, { request, socket, head }) => {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        if (server.clients.size > MAX_CONNECTIONS) {
          webSocket.close(TRY_AGAIN_LATER, `more than ${MAX_CONNECTIONS} connections`);
        } else serve(rpc, webSocket);
      });
    },
    close: () => {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
