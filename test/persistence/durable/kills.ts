import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { EmbeddedEngineName, SimulatorOptions } from '../../../src/runtime/config.js';
import { ControlClient, createSimulator } from '../../../src/index.js';
import { type Command, startedCommand } from '../../cli/process.js';
import { seeded } from '../../support/seeded.js';
import { Customer } from './customer.js';

const CUSTOMERS = 6;
const USDC = 900;
/** Fewest and most answers before a kill, and the longest time from the last of them to the kill. */
const FEWEST = 10;
const MOST = 80;
const LONGEST_MS = 10;
/** Longest time from a start that is killed itself. */
const LONGEST_START_MS = 1_200;

const PROGRAM = fileURLToPath(new URL('./victim.mjs', import.meta.url));

/** A service in a process of its own, see `victim.mjs`, killed at the end of the test if it still runs. */
export function victim(options: SimulatorOptions, wrapper: readonly string[] = []): Command {
  return startedCommand([JSON.stringify(options)], {}, { program: PROGRAM, wrapper });
}

/** The origin of a service, once it listens. */
export async function originOf(service: Command): Promise<string> {
  return (await service.printed('\n')).trim();
}

/** A folder with a world and customers in it who have money and tokens. */
export async function customersIn(
  dataDir: string,
  engine: EmbeddedEngineName,
  seed: string,
): Promise<Customer[]> {
  const sim = await createSimulator({ dataDir, engine });
  const payee = sim.createWallet().address;
  const customers: Customer[] = [];
  for (let at = 0; at < CUSTOMERS; at += 1) {
    const agent = sim.agent(at);
    await agent.fund(USDC, 'USDC');
    const { total: lines } = (await agent.transactions()).pagination;
    const random = seeded(`${seed}/${at}`);
    const customer = new Customer(sim, { agent, payee, name: `${seed}-${at}`, random, lines });
    await customer.agent.signIn();
    customers.push(customer);
  }
  await sim.close();
  return customers;
}

/** Fails unless books, chain and every rule are sound. */
export async function checkSound(origin: string): Promise<void> {
  const { violations } = await new ControlClient({ origin }).do('invariants');
  expect(violations).toEqual([]);
}

/** Customers of a service that was killed find everything there that was answered, and its books and chain are sound. */
export async function lookBack(customers: readonly Customer[], origin: string): Promise<void> {
  await checkSound(origin);
  for (const customer of customers) customer.moveTo(origin);
  await Promise.all(customers.map((customer) => customer.lookBack()));
  await checkSound(origin);
}

/** Resolves when customers have got so many answers more. */
export function answersOf(customers: readonly Customer[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    for (const customer of customers)
      customer.onAnswer = () => {
        left -= 1;
        if (left === 0) resolve();
      };
  });
}

/**
 * Kills a service at so many random instants while its customers use it; after each start everything that it had answered is there,
 * and its books and chain are sound. Gives how many calls were answered.
 */
export async function killAgainAndAgain(
  dataDir: string,
  { engine, seed, kills }: { engine: EmbeddedEngineName; seed: string; kills: number },
): Promise<number> {
  const random = seeded(seed);
  const customers = await customersIn(dataDir, engine, seed);
  for (let round = 0; round < kills; round += 1) {
    const told = `seed ${seed}, kill ${round}`;
    // Compaction is always under way, or never.
    const options = { dataDir, compactAt: round % 2 === 0 ? 0.02 : 1_000 };
    if (random.chance(10)) {
      const starting = victim(options);
      await pause(random.below(LONGEST_START_MS));
      await starting.endedBy('SIGKILL');
    }
    const service = victim(options);
    const origin = await originOf(service);
    await lookBack(customers, origin);
    const enough = answersOf(customers, FEWEST + random.below(MOST - FEWEST));
    const lives = Promise.all(customers.map((customer) => customer.live()));
    await enough;
    await pause(random.below(LONGEST_MS));
    await service.endedBy('SIGKILL');
    await lives;
    expect(service.stderr.replaceAll(/TROUBLE .* bytes at the end were cut off.*\n/g, ''), told).toBe('');
  }
  return customers.reduce((sum, { answered }) => sum + answered.size, 0);
}
