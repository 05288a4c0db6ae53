import * as web3 from '@solana/web3.js';
import type { Simulator } from '../../../src/simulator/simulator.js';

/** The answer to one JSON-RPC call. */
export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Calls a method in process. */
export async function call(
  sim: Simulator,
  method: string,
  ...params: readonly unknown[]
): Promise<RpcAnswer> {
  return JSON.parse(await sim.rpc(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as RpcAnswer;
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
