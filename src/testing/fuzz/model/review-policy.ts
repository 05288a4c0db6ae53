/** What review does with an application that the score does not deny. */
export type ReviewStep =
  | { readonly kind: 'manual' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'delay'; readonly delayMs: number };

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Parses a duration such as `90s` or `1h30m`. Throws RangeError if invalid. */
export function durationMs(text: string): number {
  if (!/^(\d+(\.\d+)?[a-z]+)+$/.test(text)) throw new RangeError(`not a duration: ${text}`);
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)([a-z]+)/g)) {
    const unitMs = UNIT_MS[unit ?? ''];
    if (unitMs === undefined) throw new RangeError(`not a duration: ${text}`);
    sum += Number(count) * unitMs;
  }
  return sum;
}

function step(text: string): ReviewStep {
  const [name, ...rest] = text.split(':');
  switch (name) {
    case 'auto':
    case 'approve':
    case 'deny':
      return { kind: name };
    case 'delay':
      return { kind: 'delay', delayMs: durationMs(rest.join(':')) };
    default:
      return { kind: 'manual' };
  }
}

/** The step for an application, by the number of earlier ones. Source: docs/fidelity.md, Variants of the description. */
export function reviewStep(policy: string, before: number): ReviewStep {
  if (!policy.startsWith('script:')) return step(policy);
  const parts = policy.slice('script:'.length).split(',');
  const after = parts.find((part) => part.startsWith('after:'));
  const steps = parts.filter((part) => part !== after);
  const taken = steps[before];
  return taken === undefined ? step(after?.slice('after:'.length) ?? 'manual') : step(taken);
}
