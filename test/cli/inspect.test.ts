// @module-tag slow
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { ENGINES, world } from '../support/world.js';
import { failing, here } from './here.js';
import { type Command, startedCommand } from './process.js';
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js';

/** A counterexample whose next to last step borrows, and whose last applies for a credit line. */
const BORROWS = 'fixtures/failures/loanapply-application-apr-ab5a45.json';

/** Plays a deposit and a refusal in a world; gives the wallet. */
async function play(sim: Simulator): Promise<string> {
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await expect(agent.withdraw({ amount: 5_000, token: 'USDC' })).rejects.toMatchObject({ status: 400 });
  await sim.advance('3d');
  return agent.wallet.address;
}

/** Starts `sim inspect`; gives its origin and control interface. */
async function inspected(
  path: string,
  options: { readonly program?: string } = {},
): Promise<{ command: Command; origin: string; control: ControlClient }> {
  const command = startedCommand(['inspect', path], {}, options);
  const { origin } = new URL((await command.printed('\n')).trim());
  return { command, origin, control: new ControlClient({ origin }) };
}

describe.each(ENGINES)('sim inspect on %s', (engine) => {
  it('serves the world of a state file, frozen, until Ctrl-C', async () => {
    const sim = await world({ engine });
    const wallet = await play(sim);
    const path = temporaryFile(await sim.exportState());
    const now = sim.now().toISOString();
    const { command, origin, control } = await inspected(path);
    expect((await fetch(`${origin}/inspector/`)).headers.get('content-type')).toContain('text/html');
    expect(await control.do('time')).toMatchObject({ now, mode: 'frozen' });
    expect((await control.do('customer', { id: wallet })).accounts.checking.USDC).toBe(100);
    expect(await control.do('invariants')).toEqual({ violations: [] });
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it('replays a recording into a world, in which each request can be explained and undone', async () => {
    const sim = await world({ engine });
    const path = join(temporaryFolder(), 'session.ndjson');
    await sim.recording.start({ path, isNew: true });
    const wallet = await play(sim);
    await sim.recording.stop();
    const { control } = await inspected(path);
    const { requests } = await control.do('history', { query: { limit: 1_000 } });
    const refused = requests[0]?.requestId ?? '';
    expect(await control.do('explain', { id: refused })).toMatchObject({
      text: expect.stringContaining('400'),
    });
    await control.do('revertBefore', { id: requests.at(-1)?.requestId ?? '', body: {} });
    expect((await control.do('customers')).customers).toEqual([]);
    expect(wallet).not.toBe('');
  });
});

describe('sim inspect', () => {
  it('shows the world of a counterexample as its last step has left it, at the last request', async () => {
    const path = join('fixtures/failures', readdirSync('fixtures/failures')[0] ?? '');
    const { command, control } = await inspected(path);
    const address = command.stdout.trim();
    const [, last = ''] = /\/inspector\/requests\/(req_\d+)$/.exec(address) ?? [];
    expect((await fetch(address)).headers.get('content-type')).toContain('text/html');
    expect((await control.do('explain', { id: last })).text).toMatch(/^POST /);
    expect((await control.do('history')).requests[0]).toMatchObject({ requestId: last });
    expect(command.stderr).toMatch(/^FIXED: /);
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it('shows the failing step of a counterexample that still fails, and nothing of what comes after it', async () => {
    const program = fileURLToPath(new URL('broken-bank.ts', import.meta.url));
    const { command, control } = await inspected(BORROWS, { program });
    expect(command.stderr).toMatch(/^FAILED at step 9 of 10: /);
    expect(command.stderr).toContain('collateralBorrow');
    const { requests } = await control.do('history');
    const { requestId = '' } = requests[0] ?? {};
    expect(command.stdout.trim()).toMatch(new RegExp(`/inspector/requests/${requestId}$`));
    expect((await control.do('explain', { id: requestId })).text).toContain('/collateral/borrow');
    expect((await control.do('loans')).loans).toEqual([]);
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it('refuses damaged and foreign files, and ports that are none, in one line', async () => {
    const at = temporaryFolder();
    const state = await (await world()).exportState();
    const files: Record<string, string | Uint8Array> = {
      'cut.sim': state.subarray(0, state.length - 40),
      'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'empty.ndjson': '',
      'other.json': '{"a":1}\n{"b":2}\n',
      'wrong.ndjson': '{"format":"agent-bank-sim recording","version":99}\n',
      'events.ndjson': '{"seq":1,"at":"2026-01-01T00:00:00Z","kind":"world","requestId":null}\nno event\n',
    };
    for (const [name, content] of Object.entries(files)) {
      const path = join(at, name);
      writeFileSync(path, content);
      await failing(2, 'inspect', path);
    }
    expect((await here('inspect', join(at, 'none'))).stderr).toContain('cannot be read (ENOENT)');
    expect((await here('inspect', at)).stderr).toContain('cannot be read (EISDIR)');
    expect((await here('inspect', join(at, 'cut.sim'), '--port', '70000')).stderr).toContain('--port');
  });
});
