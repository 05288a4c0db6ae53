/** Decides applications that the score does not deny: a person, or the score immediately. Delays and scripts are not modelled. */
export const REVIEW_POLICIES = ['manual', 'auto'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

/** Reads a policy. Throws RangeError for one that is not modelled. Source: docs/reference/fidelity.md, Variants of the description. */
export function reviewPolicy(value: unknown): ReviewPolicy {
  const known = REVIEW_POLICIES.find((policy) => policy === value);
  if (known === undefined)
    throw new RangeError(
      `the model knows the review policies ${REVIEW_POLICIES.join(' and ')}, and not ${JSON.stringify(value)}`,
    );
  return known;
}
