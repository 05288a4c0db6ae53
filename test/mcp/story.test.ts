import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { paywallOf } from '../support/paywall.js';
import { ENGINES, servedWorld } from '../support/world.js';
import { ERAS, type Era, clientOf, overHttp } from './support.js';
import { playStory } from './story.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A client of `sim mcp`, and the URL of its demo service, once it has said one. */
async function overStdio(era: Era, args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    stderr: 'pipe',
  });
  let errors = '';
  const shop = new Promise<string>((resolve) => {
    transport.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
      const [, url] = /demo service at (\S+)\n/.exec(errors) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const client = clientOf(era);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, shop };
}

describe.each(ENGINES)('on %s', (engine) => {
  it.each(ERAS)('an agent lives through a month over HTTP (%s)', async (era) => {
    const { sim, origin } = await servedWorld({ engine });
    await playStory(await overHttp(`${origin}/mcp?world=true`, era), await paywallOf(sim));
  });
});

it('an agent lives through a month over stdio', { tags: ['slow'] }, async () => {
  const { client, shop } = await overStdio('2026-07-28', ['--world', '--paywall', '--time', 'frozen']);
  await playStory(client, await shop);
});

it(
  'an agent lives through a month in a running world that sim mcp names by its URL',
  { tags: ['slow'] },
  async () => {
    const { sim, origin } = await servedWorld();
    await sim.listenRpc();
    const { id, fork } = await sim.openFork();
    for (const [url, served] of [
      [origin, sim],
      [`${origin}/w/${id}`, fork],
    ] as const) {
      const shop = await paywallOf(served);
      const args = ['--world', '--url', url, '--wallet', sim.wallets[3]?.secretKey ?? ''];
      const { client } = await overStdio('2025-11-25', args);
      await playStory(client, shop);
    }
    expect(await sim.invariants()).toEqual([]);
  },
);
