import { once } from 'node:events';
import * as web3 from '@solana/web3.js';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { SimulatorOptions } from '../../../src/runtime/config.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { world } from '../../support/world.js';

/** The answer to one JSON-RPC call. */
export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const requestOf = (method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });

/** The text of one call. */
export function rpcMessage(method: string, ...params: readonly unknown[]): string {
  return JSON.stringify(requestOf(method, params));
}

/** Calls a method in process. */
export async function call(
  sim: Simulator,
  method: string,
  ...params: readonly unknown[]
): Promise<RpcAnswer> {
  return JSON.parse(await sim.rpc(rpcMessage(method, ...params))) as RpcAnswer;
}

/** The result of a call that must succeed. */
export async function result<T>(sim: Simulator, method: string, ...params: readonly unknown[]): Promise<T> {
  const answer = await call(sim, method, ...params);
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.code} ${answer.error.message}`);
  return answer.result as T;
}

/** The `value` of a call whose answer says its slot. */
export async function valueOf<T>(sim: Simulator, method: string, ...params: readonly unknown[]): Promise<T> {
  return (await result<{ value: T }>(sim, method, ...params)).value;
}

/** The message of a transaction of version 0. */
export function compiled(
  payerKey: web3.PublicKey,
  instructions: web3.TransactionInstruction[],
  recentBlockhash: string,
): web3.MessageV0 {
  return new web3.TransactionMessage({ payerKey, recentBlockhash, instructions }).compileToV0Message();
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The words of a text. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** A message of a subscription. */
export interface Notification {
  readonly method: string;
  readonly params: { readonly subscription: number; readonly result: unknown };
}

/** A client that keeps its notifications. */
export class Listener {
  readonly told: Notification[] = [];
  readonly #answers = new Map<number, (answer: { result?: unknown; error?: { code: number } }) => void>();
  readonly #waiting: (() => void)[] = [];
  #calls = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const received = JSON.parse(data.toString('utf8')) as Notification & { id?: number };
      if (received.id === undefined) this.told.push(received);
      else this.#answers.get(received.id)?.(received as never);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  static async open(url: string, options = {}): Promise<Listener> {
    const socket = new WebSocket(url, options);
    await once(socket, 'open');
    onTestFinished(() => socket.terminate());
    return new Listener(socket);
  }

  call(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { code: number } }> {
    this.#calls += 1;
    const id = this.#calls;
    this.socket.send(JSON.stringify({ ...requestOf(method, params), id }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  async subscribe(method: string, ...params: unknown[]): Promise<number> {
    const { result: id, error } = await this.call(method, ...params);
    if (typeof id !== 'number') throw new Error(JSON.stringify(error));
    return id;
  }

  /** The notifications of a subscription, once there are `count`; also any that were sent with the last of them. */
  async heard(subscription: number, count: number): Promise<unknown[]> {
    const heard = () =>
      this.told
        .filter(({ params }) => params.subscription === subscription)
        .map(({ params }) => params.result);
    while (heard().length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    // What was sent before this answer has arrived when it does.
    await this.call('slotUnsubscribe', -1);
    return heard();
  }
}

/** A world whose RPC is served, and a client of it. */
export async function listening(options: SimulatorOptions): Promise<{ sim: Simulator; listener: Listener }> {
  const sim = await world(options);
  const rpc = await sim.listenRpc();
  return { sim, listener: await Listener.open(rpc.webSocketUrl) };
}
