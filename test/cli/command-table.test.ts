import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { post } from '../../src/api/control/command.js';
import { COMMANDS } from '../../src/api/control/commands.js';

it('a command of the table is served, and is met on the command line, in MCP, in scenarios and in the inspector', async () => {
  const echo = post('/echo/{id}', {
    summary: 'Say a word twice',
    body: z.strictObject({ someWord: z.string().describe('what to say'), isLoud: z.boolean() }),
    run: (_world, { id, body }) => ({ id, ...body }),
  });
  Object.assign(COMMANDS, { echoWord: echo });
  // Loaded with the command in the table.
  const { createSimulator } = await import('../../src/simulator/simulator.js');
  const { worldTools } = await import('../../src/mcp/world-tools.js');
  const { WORLD_VERBS } = await import('../../src/testing/scenario/verbs/verbs.js');
  const { ROUTES } = await import('../../src/api/control/names.js');
  const { here } = await import('./here.js');
  const sim = await createSimulator({ engine: 'litesvm' });
  onTestFinished(() => sim.close());
  const { origin } = await sim.listen();

  const document: unknown = await (await fetch(`${origin}/_sim/v1/openapi.json`)).json();
  expect(document).toMatchObject({ paths: { '/echo/{id}': { post: { operationId: 'echoWord' } } } });
  const { stdout: help } = await here('control', 'echo-word', '--help');
  expect(help).toMatch(/say a word twice[^]*--some-word +what to say +\[string\] \[required\]/);
  const words = ['control', 'echo-word', 'e1', '--some-word', 'so', '--is-loud', '--url', origin];
  expect((await here(...words)).stdout).toBe('id        e1\nsomeWord  so\nisLoud    true\n');
  expect(worldTools().map(({ definition }) => definition.name)).toContain('world_echo_word');
  const step = { do: 'echoWord', id: 'e1', body: { someWord: 'so', isLoud: true } };
  expect(WORLD_VERBS.control.args.parse(step)).toEqual(step);
  expect(ROUTES).toMatchObject({ echoWord: { method: 'POST', path: '/echo/{id}' } });
});
