import { Check } from './compare.js';

/** Steps of `{step, title, text}`, numbered from 1. The wording is the service's own. Source: docs/reference/fidelity.md, Requests and responses. */
export class OnboardSteps extends Check {
  see(actual: unknown): string | null {
    const steps = (actual as { steps?: unknown } | null)?.steps;
    if (!Array.isArray(steps) || steps.length === 0) return 'an object with steps';
    const isGood = (steps as unknown[]).every((step, at) => {
      const members = (step ?? {}) as Readonly<Record<string, unknown>>;
      return members['step'] === at + 1 && isText(members['title']) && isText(members['text']);
    });
    return isGood ? null : 'steps of {step, title, text}, numbered from 1';
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
