// @module-tag slow
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { world } from '../support/world.js';
import { clientOf, tell } from '../mcp/support.js';
import { failing } from './here.js';
import { type Command, MAIN, startedCommand } from './process.js';

/** A server that has responded to the first of these messages that it understands. */
async function serverAfter(...messages: string[]): Promise<Command> {
  const input = messages.map((message) => `${message}\n`).join('');
  const server = startedCommand(['mcp', '--engine', 'litesvm', '--paywall'], {}, { input });
  await server.printed('\n');
  return server;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

function transportTo(...args: string[]): StdioClientTransport {
  return new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...args] });
}

async function clientOver(transport: StdioClientTransport) {
  const client = clientOf('2026-07-28');
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const clientAt = (...args: string[]) => clientOver(transportTo(...args));

describe('sim mcp', () => {
  it.each([
    [['--max-spend', 'lots'], 'expected amounts such as 1USDC'],
    [['--confirm-above', '1EUR'], 'expected amounts such as 1USDC'],
    [['--wallet', '10'], 'give the number of a dev wallet, 0 to 9'],
    [['--max-spend', '20USDC', '--max-spend', '30USDC'], '--max-spend is given twice'],
    [['--wallet', 'nonsense'], '--wallet'],
    [['--url', 'nothing'], 'is not a URL'],
    [['--url', 'http://127.0.0.1:1', '--time', 'frozen'], '--time: applies to a new world'],
    [['--control-token', 'x'], 'requires --url'],
    [['--time', 'sometimes'], 'time'],
    [['--state', 'package.json'], '--state: This is not an agent-bank-sim state file'],
  ])('refuses %j as a usage error, in one line', async (args, text) => {
    expect(await failing(2, 'mcp', ...args)).toContain(text);
  });

  it('fails in one line when the simulator at --url is not there, or wants a token', async () => {
    const sim = await world();
    const { origin } = await sim.listen({ controlToken: 'secret' });
    for (const [url, text] of [
      ['http://127.0.0.1:1', 'cannot reach'],
      [origin, 'control_token_required'],
    ] as const)
      expect(await failing(1, 'mcp', '--url', url)).toContain(text);
    const client = await clientAt('--url', origin, '--control-token', 'secret', '--world');
    expect((await tell(client, 'world_time')).isError).toBe(false);
  });

  it('writes nothing but messages of the protocol to stdout, and ends when its client has left', async () => {
    const server = await serverAfter('not JSON', PING);
    server.closeInput();
    expect(await server.ended()).toBe(0);
    for (const line of server.stdout.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s', async (signal) => {
    const server = await serverAfter(PING);
    expect(await server.endedBy(signal)).toBe(0);
  });
});
