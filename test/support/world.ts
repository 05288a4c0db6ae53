import { expect, onTestFinished } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import type { AgentClient } from '../../src/sdk/client/client.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { type Simulator, type SimulatorHooks, createSimulator } from '../../src/simulator/simulator.js';

export const ENGINES = ['bankrun', 'litesvm'] as const;

/** A world for one test: frozen, on litesvm unless said otherwise, closed when the test ends. */
export async function world(options: SimulatorOptions = {}, hooks: SimulatorHooks = {}): Promise<Simulator> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', ...options }, hooks);
  onTestFinished(() => sim.close());
  return sim;
}

/** A client of the control interface in this process. */
export function controlOf(sim: Simulator): ControlClient {
  return new ControlClient({ origin: 'http://sim.local', fetch: (url, init) => sim.fetch(url, init) });
}

/** Expects a call to be refused with such a text, and with 400 if no other status is given. */
export async function expectRefusal(call: Promise<unknown>, text: string, status = 400): Promise<void> {
  await expect(call, text).rejects.toMatchObject({
    status,
    message: expect.stringContaining(text) as string,
  });
}

/** What an agent has in checking. */
interface Funds {
  readonly usdc?: number | undefined;
  readonly sol?: number | undefined;
}

/** A signed-in client of a dev wallet, with money in checking. */
export async function agentWith(sim: Simulator, at: number, funds: Funds = {}): Promise<AgentClient> {
  const agent = sim.agent(at);
  await agent.signIn();
  if (funds.usdc !== undefined) await agent.fund(funds.usdc, 'USDC');
  if (funds.sol !== undefined) await agent.fund(funds.sol, 'SOL');
  return agent;
}

/** A world, and a client of its control interface in this process. */
export async function worldWithControl(options: SimulatorOptions = {}, hooks: SimulatorHooks = {}) {
  const sim = await world(options, hooks);
  return { sim, control: controlOf(sim) };
}

/**
 * A world, a signed-in client of its first dev wallet, with money in checking, and one of its control interface. When the test ends, the books
 * must be sound and equal the chain.
 */
export async function worldWithAgent({ usdc, sol, ...options }: SimulatorOptions & Funds = {}) {
  const { sim, control } = await worldWithControl(options);
  onTestFinished(async () => expect(await sim.invariants()).toEqual([]));
  return { sim, control, agent: await agentWith(sim, 0, { usdc, sol }) };
}

/** A world, and a caller whose wallet has money in checking. When the test ends, the books must be sound and equal the chain. */
export async function worldWithCaller(options: SimulatorOptions & Funds = {}) {
  const { sim } = await worldWithAgent(options);
  return { sim, caller: await RawCaller.signedIn(sim, 0) };
}

/** A world that is served over HTTP, with its origin and port. */
export async function servedWorld(
  options: SimulatorOptions = {},
  how: Parameters<Simulator['listen']>[0] = {},
) {
  const sim = await world(options);
  const { origin, port } = await sim.listen(how);
  return { sim, origin, port };
}

/** Makes blocks until the blockhashes so far have expired. */
export async function expireBlockhashes(sim: Simulator): Promise<void> {
  for (let blocks = 0; blocks <= 150; blocks += 1)
    await sim.faucet(sim.wallets[9]?.address ?? '', 0.001, 'SOL');
}

/** The response of an HTTP call. */
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly error?: string;
    readonly code?: string;
    readonly details?: Record<string, unknown>;
    readonly requestId?: string;
    readonly [member: string]: unknown;
  };
  readonly headers: Headers;
}

/** A caller with a token that sends any body, valid or not. */
export class RawCaller {
  constructor(
    readonly sim: Simulator,
    readonly token: string | null,
  ) {}

  static async signedIn(sim: Simulator, at: number): Promise<RawCaller> {
    return new RawCaller(sim, (await sim.agent(at).signIn()).token);
  }

  async send(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const authorization: Record<string, string> =
      this.token === null ? {} : { authorization: `Bearer ${this.token}` };
    const payload =
      body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await this.sim.fetch(`/api/v1${path}`, {
      method,
      headers: { ...authorization, ...headers },
      ...payload,
    });
    return {
      status: response.status,
      body: (await response.json()) as Answer['body'],
      headers: response.headers,
    };
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }
}
