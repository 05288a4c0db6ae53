// @module-tag slow
import { expect, it } from 'vitest';
import { temporaryFile } from '../support/temporary-folder.js';
import { ENDLESS } from '../support/endless.js';
import { here } from './here.js';
import { type Command, serving, startedCommand } from './process.js';

/** A simulator in the middle of a jump started by `sim time advance`. */
async function jumping(): Promise<{ server: Command; jump: Command; baseUrl: string }> {
  const config = temporaryFile(JSON.stringify({ ...ENDLESS, time: 'frozen', engine: 'litesvm' }));
  const { command: server, ready } = await serving('--quiet', '--no-rpc', '--config', config);
  const { baseUrl } = ready;
  const events = await fetch(new URL('/_sim/v1/events/stream?after=0', baseUrl));
  const jump = startedCommand(['time', 'advance', '30d', '--url', baseUrl]);
  const [decoder, reader] = [new TextDecoder(), events.body?.getReader()];
  for (let text = ''; !text.includes('price.changed');)
    text += decoder.decode((await reader?.read())?.value, { stream: true });
  await reader?.cancel();
  return { server, jump, baseUrl };
}

it('Ctrl-C of sim time advance cancels the jump, and the simulator stays responsive', async () => {
  const { server, jump, baseUrl } = await jumping();
  await jump.endedBy('SIGINT');
  const { code, stdout } = await here('time', '--url', baseUrl);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+ frozen\n$/)]);
  expect(await server.endedBy('SIGTERM')).toBe(0);
  expect(server.stderr).toBe('');
});

it('SIGTERM during a jump stops the simulator without reporting a bug', async () => {
  const { server, jump } = await jumping();
  expect(await server.endedBy('SIGTERM')).toBe(0);
  expect(server.stderr).toBe('');
  expect(await jump.ended()).toBe(1);
});
