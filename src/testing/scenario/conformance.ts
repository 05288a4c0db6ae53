import type { RuleResult, ScenarioResult } from './results.js';
import { PUBLISHED_RULES } from './rules.js';

function outcomeOf(about: readonly ScenarioResult[]): RuleResult['outcome'] {
  if (about.length === 0) return 'not covered';
  // What failed for another reason than an answer, such as a service that nobody reaches, says nothing of a rule.
  if (about.some(({ steps }) => steps.some(({ verdict }) => verdict === 'failed'))) return 'broken';
  return about.some(({ verdict }) => verdict === 'passed') ? 'held' : 'not testable here';
}

/** How each published rule fared in the scenarios that say they are about it. */
export function conformance(results: readonly ScenarioResult[]): RuleResult[] {
  return Object.entries(PUBLISHED_RULES).map(([rule, sentence]) => {
    const about = results.filter(({ covers }) => covers.includes(rule));
    return { rule, sentence, outcome: outcomeOf(about), scenarios: about.map(({ id }) => id) };
  });
}
