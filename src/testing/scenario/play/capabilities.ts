import { type Scenario, type Step, lookingStep } from '../scenario.js';
import type { Target } from '../target.js';
import { looksAtEvents } from './check.js';
import { missing, verbOf } from './perform.js';

function missingNeed({ does, expect }: Step, target: Target): string | null {
  const looks = does.kind === 'expect' ? does.expectations : expect;
  if (!target.hasControl && (looks?.journal !== undefined || looksAtEvents(looks)))
    return 'the journal and the events of a deployed service cannot be read';
  if (!target.hasChain && looks?.chain !== undefined) return 'balances on chain need --rpc-url';
  if ('steps' in does) return firstMissing(does.steps, target);
  if (does.kind === 'wait') return missingNeed(does.step, target);
  return 'verb' in does ? missing(verbOf(does), target) : null;
}

function firstMissing(steps: readonly Step[], target: Target): string | null {
  for (const step of steps) {
    const lack = missingNeed(step, target);
    if (lack !== null) return `${step.title}${step.line === null ? '' : ` (line ${step.line})`}: ${lack}`;
  }
  return null;
}

/** World options that every target accepts, because they do not affect a deployed service. */
const HARMLESS = new Set(['seed', 'engine']);

function isGiven(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

/** The reason, known in advance, why a target cannot play a scenario; null if it can. */
export function missingCapability(
  { world, agents, play, ...scenario }: Scenario,
  target: Target,
): string | null {
  if (!target.hasControl) {
    const option = Object.entries(world).find(([name, value]) => !HARMLESS.has(name) && isGiven(value))?.[0];
    if (option !== undefined) return `world.${option}: the world of a deployed service cannot be chosen`;
    const linked = Object.entries(agents).find(([, agent]) => agent.identity !== undefined)?.[0];
    if (linked !== undefined)
      return `agents.${linked}.identity: only the service's operator can link an identity`;
    if (play.kind === 'property') return 'properties need targets that can create worlds';
  }
  const atEnd = scenario.finally;
  const looks = atEnd === null ? [] : [lookingStep('finally', atEnd)];
  return firstMissing([...(play.kind === 'steps' ? play.steps : []), ...looks], target);
}
