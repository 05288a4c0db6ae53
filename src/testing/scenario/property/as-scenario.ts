import { type WrittenStep, agentsIn, scenarioText } from '../file/write.js';
import type { Scenario } from '../scenario.js';
import type { PropertyAgent } from './property-agent.js';

/** Renders a sequence of steps as a scenario file. */
export function asScenario(
  scenario: Scenario,
  who: readonly PropertyAgent[],
  found: { readonly steps: readonly WrittenStep[]; readonly seed: string; readonly reason: string },
): string {
  const { covers, worldAsWritten } = scenario;
  return scenarioText({
    name: `${scenario.name} (counterexample)`,
    description: found.reason,
    covers,
    world: { ...worldAsWritten, seed: found.seed },
    agents: agentsIn(
      found.steps,
      who.map(({ name, begins }) => [name, begins] as const),
    ),
    steps: found.steps,
    ...(scenario.finally === null ? {} : { finally: scenario.finally }),
  });
}
