import { stringify } from 'yaml';
import type { Scenario } from '../scenario.js';
import type { Inhabitant } from './habits.js';

/** A step as a scenario file has it. */
export type WrittenStep = Readonly<Record<string, unknown>>;

/** A sequence of steps as the text of a scenario file. */
export function asScenario(
  scenario: Scenario,
  who: readonly Inhabitant[],
  found: { readonly steps: readonly WrittenStep[]; readonly seed: string; readonly reason: string },
): string {
  const { covers, world } = scenario;
  const { variants = {}, oracle = {}, ...rest } = world;
  const given = {
    ...rest,
    seed: found.seed,
    ...(Object.keys(variants).length === 0 ? {} : { variants }),
    ...(Object.keys(oracle).length === 0 ? {} : { oracle: inFile(oracle) }),
  };
  const used = who.filter(({ name }) => JSON.stringify(found.steps).includes(name));
  return stringify(
    {
      name: `${scenario.name} (counterexample)`,
      description: found.reason,
      covers,
      world: given,
      agents: Object.fromEntries(used.map(({ name, begins }) => [name, begins])),
      steps: found.steps,
      ...(scenario.finally === null ? {} : { finally: scenario.finally }),
    },
    { lineWidth: 110, collectionStyle: 'any' },
  );
}

/** Sources of rates under the names that scenario files have for them. */
function inFile(oracle: NonNullable<Scenario['world']['oracle']>): Record<string, unknown> {
  const { usdcApy, solApy, ...rest } = oracle;
  return {
    ...rest,
    ...(usdcApy === undefined ? {} : { usdc: usdcApy }),
    ...(solApy === undefined ? {} : { sol: solApy }),
  };
}
