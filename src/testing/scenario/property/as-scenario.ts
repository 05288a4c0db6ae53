import { stringify } from 'yaml';
import type { Scenario } from '../scenario.js';
import type { PropertyAgent } from './property-agent.js';

/** A step in file notation. */
export type WrittenStep = Readonly<Record<string, unknown>>;

/** Renders a sequence of steps as a scenario file. */
export function asScenario(
  scenario: Scenario,
  who: readonly PropertyAgent[],
  found: { readonly steps: readonly WrittenStep[]; readonly seed: string; readonly reason: string },
): string {
  const { covers, worldAsWritten } = scenario;
  const used = who.filter(({ name }) => JSON.stringify(found.steps).includes(name));
  return stringify(
    {
      name: `${scenario.name} (counterexample)`,
      description: found.reason,
      covers,
      world: { ...worldAsWritten, seed: found.seed },
      agents: Object.fromEntries(used.map(({ name, begins }) => [name, begins])),
      steps: found.steps,
      ...(scenario.finally === null ? {} : { finally: scenario.finally }),
    },
    { lineWidth: 110, collectionStyle: 'any' },
  );
}
