import type { FuzzWorld, RpcFault, RpcReply } from '../world.js';

/** How something that JSON-RPC tells differs from what it should be; null if it does not. */
export function differs(what: string, actual: unknown, expected: unknown): string | null {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value) ?? 'nothing');
  return is === should ? null : `rpc ${what}: ${is}, not ${should}`;
}

/** A client of a world's JSON-RPC. */
export class RpcClient {
  readonly #world: Pick<FuzzWorld, 'rpc'>;

  constructor(world: Pick<FuzzWorld, 'rpc'>) {
    this.#world = world;
  }

  call(method: string, ...params: readonly unknown[]): Promise<RpcReply> {
    return this.#world.rpc(method, params);
  }

  troubled(fault: RpcFault, method: string, ...params: readonly unknown[]): Promise<RpcReply> {
    return this.#world.rpc(method, params, fault);
  }

  /** The result of a method that cannot fail. Rejects if it does. */
  async result<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const reply = await this.call(method, ...params);
    if ('error' in reply) throw new Error(`${method} fails: ${reply.error.message}`);
    return reply.result as T;
  }
}
