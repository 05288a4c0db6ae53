import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { connectionOptions, type GivenOptions } from '../../src/mcp/connection-options.js';
import { serveOverStdio } from '../../src/mcp/stdio.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { agentWith, world } from '../support/world.js';
import { type Era, serviceOf } from './support.js';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: { readonly isError?: boolean };
  readonly error?: unknown;
}

/** The messages that a server writes to a client that sends all of its own at once and ends. */
async function answersTo(
  sim: Simulator,
  messages: readonly Message[],
  { given = {}, signal = new AbortController().signal }: { given?: GivenOptions; signal?: AbortSignal } = {},
): Promise<Message[]> {
  const service = serviceOf(sim);
  const connection = { session: await service.sessionAt('0'), options: connectionOptions(given) };
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  const served = serveOverStdio(service, connection, { input, output, signal });
  void served.finally(() => output.end());
  const written = await text(output);
  await served;
  return written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message);
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The first messages of a client. */
function opening(era: Era, capabilities: object = {}): Message[] {
  if (era === '2026-07-28') return [];
  const params = { protocolVersion: era, capabilities, clientInfo: { name: 'test', version: '1' } };
  return [{ id: 'first', method: 'initialize', params }, { method: 'notifications/initialized' }];
}

function request(era: Era, id: number, method: string, params: object = {}): Message {
  return { id, method, params: era === '2026-07-28' ? { ...params, _meta: ENVELOPE } : params };
}

const withdrawal = (era: Era, id: number, amount: number): Message =>
  request(era, id, 'tools/call', { name: 'withdraw', arguments: { amount, token: 'USDC' } });

const idsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));

describe('the end of the input', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'comes after the responses to all calls that were read (%s)',
    async (era) => {
      const sim = await world();
      await agentWith(sim, 0, { usdc: 10 });
      const answers = await answersTo(sim, [
        ...opening(era),
        withdrawal(era, 1, 2),
        request(era, 2, 'resources/nonsense'),
        withdrawal(era, 3, 1),
        // The same id again is a call of its own.
        withdrawal(era, 3, 1),
      ]);
      expect(idsOf(answers).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 3]);
      expect(answers.filter(({ result }) => result?.isError === true)).toEqual([]);
    },
  );

  it('waits for no response to a cancelled call, nor for the end of a subscription', async () => {
    const [sim, old, modern] = [await world(), '2025-11-25', '2026-07-28'] as const;
    const cancelled = await answersTo(sim, [
      ...opening(old),
      withdrawal(old, 1, 1),
      { method: 'notifications/cancelled', params: { requestId: 1 } },
    ]);
    expect(idsOf(cancelled)).toEqual([]);
    const notifications = { resourceSubscriptions: ['bank://account'] };
    const [acknowledged] = await answersTo(sim, [
      request(modern, 1, 'subscriptions/listen', { notifications }),
    ]);
    expect(acknowledged?.method).toBe('notifications/subscriptions/acknowledged');
  });

  it('refuses a call that needs an answer of the client, which can send none any more', async () => {
    const sim = await world();
    const bank = await agentWith(sim, 0, { usdc: 10 });
    const era = '2025-11-25';
    const answers = await answersTo(
      sim,
      [...opening(era, { elicitation: { form: {} } }), withdrawal(era, 1, 2)],
      { given: { confirmAbove: '1USDC' } },
    );
    expect(answers.find(({ id }) => id === 1)?.result?.isError).toBe(true);
    expect((await bank.account()).checking.usdc).toBe(10);
  });

  it('comes at once after a signal', async () => {
    const sim = await world();
    const signal = AbortSignal.abort();
    expect(await answersTo(sim, [request('2025-11-25', 1, 'ping')], { signal })).toEqual([]);
  });
});
