import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ask, many, post } from './calls.js';
import { runToEnd, problemOf } from './command.js';
import type { OwnAttack } from './place.js';

const SCENARIO = 'name: hostile\nagents: { alice: {} }\nsteps:\n';
const nest = (depth: number, inner: string): string =>
  depth === 0 ? inner : `{ repeat: { times: 1000000, steps: [${nest(depth - 1, inner)}] } }`;

/** Costly scenario files: nested repetition, depth, size, and nested aliases. */
const SCENARIOS: Readonly<Record<string, string>> = {
  'rounds.yaml': `${SCENARIO}  - ${nest(5, '{ time.advance: 1s }')}\n`,
  'deep.yaml': `${SCENARIO}  - ${nest(3_000, '{ time.advance: 1s }')}\n`,
  'huge.yaml': SCENARIO + '  - nonsense: 1s\n'.repeat(100_000),
  'aliases.yaml': `${Array.from({ length: 12 }, (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, `.repeat(10)}]`).join('\n')}\n${SCENARIO}`,
};

/** Attacks on a world's time and memory, each with its own target, which it leaves far in the future or full. */
export const WORLDS: Readonly<Record<string, OwnAttack>> = {
  'walks of a millisecond or a second, and long jumps': async (place) => {
    const target = await place.start([]);
    const agent = target.agent(0);
    await agent.fund(50, 'USDC');
    await agent.depositSavings({ amount: 50, token: 'USDC' });
    const control = (path: string, body: object) =>
      ask(`${target.origin}/_sim/v1${path}`, post(JSON.stringify(body)));
    return target.underAttack(async () => {
      for (const every of ['1ms', '1s']) {
        const source = { walk: { start: 0.05, every, step: 0.5 } };
        for (const token of ['USDC', 'SOL']) {
          expect(await control('/oracle/apy', { token, source })).toBe(200);
          expect(await control('/oracle/price', { token, source })).toBe(200);
        }
        for (const by of ['1h', '1000d', '1000y']) await control('/time/advance', { by });
      }
      await control('/time/scale', { factor: 1e9 });
      await many(20, 4, () => ask(`${target.origin}/_sim/v1/oracle`));
      await control('/time/freeze', {});
      expect((await agent.account()).savings.usdc).toBe(50);
    }, place.round);
  },

  'keys of calls beyond their limit': async (place) => {
    const target = await place.start(['--limit', 'idempotencyKeys=1000']);
    const agent = target.agent(0);
    await agent.fund(50, 'USDC');
    return target.underAttack(async () => {
      let refused = 0;
      await many(3_000, 8, async (at) => {
        const call = agent.depositSavings({ amount: 0.000001, token: 'USDC' }, { idempotencyKey: `${at}` });
        await call.catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'idempotency_keys_full' });
          refused += 1;
        });
      });
      await agent.depositSavings({ amount: 0.000001, token: 'USDC' });
      expect(refused).toBe(2_000);
    }, place.round);
  },
};

/** Costly scenario files given to `sim run`. */
export async function hostileScenarios(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sim-hostile-'));
  const told: string[] = [];
  const problems: string[] = [];
  for (const [name, text] of Object.entries(SCENARIOS)) {
    const file = join(folder, name);
    writeFileSync(file, text);
    const ended = await runToEnd(['run', file]);
    const problem = problemOf(ended);
    if (problem !== null) problems.push(`${name}: ${problem}`);
    else if (ended.code === 0) problems.push(`${name}: it was played`);
    told.push(`${name} ${ended.code} in ${(ended.ms / 1_000).toFixed(1)} s`);
  }
  rmSync(folder, { recursive: true });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return told.join(', ');
}
