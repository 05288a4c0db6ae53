import type { RuleResult, ScenarioResult } from './results.js';
import { PUBLISHED_RULES } from './rules.js';

function outcomeOf(about: readonly ScenarioResult[]): RuleResult['outcome'] {
  if (about.length === 0) return 'not covered';
  // A failure other than a wrong answer, such as an unreachable service, says nothing about a rule.
  if (about.some(({ steps }) => steps.some(({ verdict }) => verdict === 'failed'))) return 'broken';
  return about.some(({ verdict }) => verdict === 'passed') ? 'held' : 'not testable here';
}

/** The outcome of each published rule in the scenarios that cover it. */
export function conformance(results: readonly ScenarioResult[]): RuleResult[] {
  return Object.entries(PUBLISHED_RULES).map(([rule, sentence]) => {
    const about = results.filter(({ covers }) => covers.includes(rule));
    return { rule, sentence, outcome: outcomeOf(about), scenarios: about.map(({ id }) => id) };
  });
}
