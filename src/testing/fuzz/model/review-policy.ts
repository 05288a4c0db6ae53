/** What review does with an application that the score does not deny. */
export type ReviewStep =
  | { readonly kind: 'manual' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'verdict'; readonly isApproved: boolean; readonly reason: string | null }
  | { readonly kind: 'delay'; readonly delayMs: number };

/** A policy as it is given: a text, or a script whose reasons may contain any characters. */
export type GivenPolicy =
  | string
  | {
      readonly script: readonly (string | { readonly approve: string } | { readonly deny: string })[];
      readonly after?: string;
    };

/** One step for each application in order, then what comes after them. */
export interface ReviewPolicy {
  /** Null for a policy that is no script. */
  readonly steps: readonly ReviewStep[] | null;
  readonly after: ReviewStep;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};
/** Units in which a duration is shown, the longest first. */
const SHOWN = ['d', 'h', 'm', 's', 'ms'] as const;

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

function durationText(ms: number): string {
  const unit = SHOWN.find((each) => ms % (UNIT_MS[each] as number) === 0) ?? 'ms';
  return `${ms / (UNIT_MS[unit] as number)}${unit}`;
}

function stepOf(given: string | { readonly approve: string } | { readonly deny: string }): ReviewStep {
  if (typeof given !== 'string')
    return 'approve' in given
      ? { kind: 'verdict', isApproved: true, reason: given.approve }
      : { kind: 'verdict', isApproved: false, reason: given.deny };
  const [name = '', ...rest] = given.split(':');
  const said = rest.join(':').trim();
  switch (name) {
    case 'manual':
    case 'auto':
      return { kind: name };
    case 'delay':
      return { kind: 'delay', delayMs: durationMs(said) };
    default:
      return { kind: 'verdict', isApproved: name === 'approve', reason: said === '' ? null : said };
  }
}

/** Reads a policy. Source: docs/fidelity.md, Variants of the description. */
export function reviewPolicy(given: GivenPolicy): ReviewPolicy {
  if (typeof given !== 'string')
    return { steps: given.script.map(stepOf), after: stepOf(given.after ?? 'manual') };
  if (!given.startsWith('script:')) return { steps: null, after: stepOf(given) };
  const words = given
    .slice('script:'.length)
    .split(',')
    .map((word) => word.trim());
  const after = words.at(-1)?.startsWith('after:') === true ? words.pop() : undefined;
  return { steps: words.map(stepOf), after: stepOf(after?.slice('after:'.length) ?? 'manual') };
}

export function reviewStep({ steps, after }: ReviewPolicy, before: number): ReviewStep {
  return steps?.[before] ?? after;
}

function stepText(step: ReviewStep): string {
  switch (step.kind) {
    case 'manual':
    case 'auto':
      return step.kind;
    case 'delay':
      return `delay:${durationText(step.delayMs)}`;
    case 'verdict':
      return `${step.isApproved ? 'approve' : 'deny'}${step.reason === null ? '' : `:${step.reason}`}`;
  }
}

/** A policy as the operator sees it, with the number of steps that were taken. */
export function policyShown({ steps, after }: ReviewPolicy, taken: number) {
  const last = stepText(after);
  if (steps === null) return { policy: last };
  const texts = steps.map(stepText);
  return {
    policy: `script:${[...texts, `after:${last}`].join(',')}`,
    script: { steps: texts, taken: Math.min(taken, texts.length), after: last },
  };
}
