import { type WrittenStep, agentsIn, scenarioText } from '../file/write.js';
import type { Scenario } from '../scenario.js';
import type { PropertyAgent } from './actions.js';

/** Renders a sequence of steps as a scenario file. */
export function asScenario(
  scenario: Scenario,
  who: readonly PropertyAgent[],
  seed: string,
  { reason, written }: { readonly reason: string | null; readonly written: readonly WrittenStep[] },
): string {
  const { covers, worldAsWritten } = scenario;
  return scenarioText({
    name: `${scenario.name} (counterexample)`,
    description: reason ?? '',
    covers,
    world: { ...worldAsWritten, seed },
    agents: agentsIn(
      written,
      who.map(({ name, begins }) => [name, begins] as const),
    ),
    steps: written,
    ...(scenario.finally === null ? {} : { finally: scenario.finally }),
  });
}
