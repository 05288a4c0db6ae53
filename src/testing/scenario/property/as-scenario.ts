import { stringify } from 'yaml';
import type { Scenario } from '../scenario.js';
import type { PropertyAgent } from './actions.js';

/** A step in file notation. */
export type WrittenStep = Readonly<Record<string, unknown>>;

/** Renders a sequence of steps as a scenario file. */
export function asScenario(
  scenario: Scenario,
  who: readonly PropertyAgent[],
  seed: string,
  { reason, written }: { readonly reason: string | null; readonly written: readonly WrittenStep[] },
): string {
  const { covers, worldAsWritten } = scenario;
  const used = who.filter(({ name }) => JSON.stringify(written).includes(name));
  return stringify(
    {
      name: `${scenario.name} (counterexample)`,
      description: reason,
      covers,
      world: { ...worldAsWritten, seed },
      agents: Object.fromEntries(used.map(({ name, begins }) => [name, begins])),
      steps: written,
      ...(scenario.finally === null ? {} : { finally: scenario.finally }),
    },
    { lineWidth: 110, collectionStyle: 'any' },
  );
}
