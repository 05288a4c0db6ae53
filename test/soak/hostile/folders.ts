import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { seeded } from '../../support/seeded.js';
import type { Customer } from '../../persistence/durable/customer.js';
import { answersOf, checkSound, customersIn } from '../../persistence/durable/kills.js';
import { runToEnd } from './command.js';
import type { OwnAttack } from './place.js';
import { MAIN, type Target } from './target.js';

const KILLS = 5;
const NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Checks that everything answered is still there, and that the books are sound. */
async function expectAllAnswers(customers: readonly Customer[], { origin }: Target): Promise<void> {
  await Promise.all(customers.map((customer) => customer.lookBack(origin)));
  await checkSound(origin);
}

/** Customers call until they have received the given number of further answers. */
async function liveFor(customers: readonly Customer[], { origin }: Target, answers: number): Promise<void> {
  const enough = answersOf(customers, answers);
  const over = { is: false };
  const lives = Promise.all(customers.map((customer) => customer.live(origin, () => over.is)));
  await enough;
  over.is = true;
  await lives;
}

async function startsRefused(dir: string): Promise<void> {
  const ended = await Promise.all(
    Array.from({ length: 3 }, () => runToEnd(['start', '--port', '0', '--data-dir', dir])),
  );
  for (const { code, stderr } of ended)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^sim: .*in use by process.*\n$/),
    });
}

/** Starts a second process in another PID namespace, where it cannot see the owner of the folder. Returns a line for the report. */
async function startRefusedElsewhere(dir: string): Promise<string> {
  if (spawnSync('unshare', [...NAMESPACE, 'true']).status !== 0) return 'no PID namespaces here';
  const args = [...NAMESPACE, process.execPath, MAIN, 'start', '--port', '0', '--no-rpc', '--data-dir', dir];
  const other = spawn('unshare', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  other.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(other, 'close')) as [number | null];
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^sim: .*in use by process.*\n$/),
  });
  return 'refused from another PID namespace too';
}

/** Ways to delete the storage of a world. */
const DELETIONS: readonly ((dir: string) => void)[] = [
  (dir) => rmSync(dir, { recursive: true }),
  (dir) => rmSync(join(dir, 'world.data')),
  (dir) => {
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
  },
];

/** Attacks on worlds in data folders. */
export const FOLDERS: Readonly<Record<string, OwnAttack>> = {
  'kills under a load of payments': async (place) => {
    const { dir, seed, engine, round } = place;
    const random = seeded(seed);
    const customers = await customersIn(dir, engine, seed);
    const startsMs: number[] = [];
    for (let kill = 0; ; kill += 1) {
      // Compaction runs either continuously or never.
      const target = await place.start(['--data-dir', dir, '--compact-at', kill % 2 === 0 ? '0.02' : '1000']);
      startsMs.push(target.startMs);
      await expectAllAnswers(customers, target);
      if (kill === KILLS) {
        const result = await target.underAttack(() => liveFor(customers, target, 100), round);
        await checkSound(target.origin);
        const answers = customers.reduce((sum, { answered }) => sum + answered.size, 0);
        const [least, most] = [Math.min(...startsMs), Math.max(...startsMs)].map((ms) => ms.toFixed(0));
        return {
          ...result,
          told: `${KILLS} kills, ${answers} answers; starts took ${least} to ${most} ms`,
        };
      }
      const enough = answersOf(customers, 10 + random.below(70));
      const lives = Promise.all(customers.map((customer) => customer.live(target.origin)));
      await enough;
      await pause(random.below(10));
      await target.stop('SIGKILL');
      await lives;
    }
  },

  'other processes that want the folder': async (place) => {
    const { dir } = place;
    const target = await place.start(['--data-dir', dir]);
    return target.underAttack(async () => {
      await startsRefused(dir);
      const elsewhere = await startRefusedElsewhere(dir);
      await target.agent(0).fund(5, 'USDC');
      // Of several processes that start in a new folder at once, at most one gets it.
      const args = ['start', '--port', '0', '--json', '--quiet', '--no-rpc', '--data-dir', place.path('new')];
      const codes = await Promise.all(Array.from({ length: 3 }, async () => (await runToEnd(args)).code));
      expect(codes.filter((code) => code !== 0 && code !== 2)).toEqual([]);
      return elsewhere;
    }, place.round);
  },

  'a disk that is full, and has room again': async (place) => {
    const { dir, seed, engine, round } = place;
    const customers = await customersIn(dir, engine, seed);
    const limitKib = Math.ceil(statSync(place.path('world.data')).size / 1_024) + 40;
    // A soft limit can be raised again.
    const wrapper = ['bash', '-c', `ulimit -Sf ${limitKib}; exec "$@"`, 'bash'];
    const target = await place.start(['--data-dir', dir, '--compact-at', '1000'], wrapper);
    const { origin } = target;
    const answered = () => customers.reduce((sum, each) => sum + each.answered.size, 0);
    const result = await target.underAttack(async () => {
      const isFull = () => customers.every(({ refused }) => refused.length > 2);
      await Promise.all(customers.map((customer) => customer.live(origin, isFull)));
      for (const customer of customers) expect((await customer.account(origin)).status).toBe(200);
      await checkSound(origin);
      const before = answered();
      const { status, error } = spawnSync('prlimit', ['--pid', `${target.pid}`, '--fsize=unlimited']);
      if (status !== 0) return `${before} answers; no room again: ${error?.message ?? 'prlimit fails'}`;
      await liveFor(customers, target, 30);
      return `${before} answers before, ${answered() - before} after there was room`;
    }, round);
    await target.stop('SIGKILL');
    await expectAllAnswers(customers, await place.start(['--data-dir', dir]));
    return result;
  },

  'a folder or a file that is deleted': async (place) => {
    const dir = place.path('bank');
    const target = await place.start(['--data-dir', dir, '--time', 'frozen']);
    const agent = target.agent(0);
    await agent.fund(5, 'USDC');
    return target.underAttack(async () => {
      DELETIONS[place.round % DELETIONS.length]?.(dir);
      for (let write = 0; write < 20; write += 1)
        await expect(agent.depositSavings({ amount: 0.01, token: 'USDC' })).rejects.toMatchObject({
          code: 'storage_unavailable',
        });
      expect((await agent.account()).checking.usdc).toBe(5);
      expect(target.stderr).toMatch(/world.data was deleted or replaced while it was in use/);
      return '20 writes refused';
    }, place.round);
  },
};
