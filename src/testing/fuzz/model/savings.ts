import { INDEX_ONE } from './growth.js';

/** What a saved base unit is in `shares` and in a value: 24 digits behind the point. */
const PART = 10n ** 24n;
const SHARE = INDEX_ONE * PART;
/** How near to a whole base unit, relative to the value, a yield must come to be told one lower or higher by the service's fixed point. */
const NEAR = 10n ** 15n;

/** Savings of an agent in one token. */
export interface Savings {
  readonly principalBase: bigint;
  /** Of the index: worth `shares × index / INDEX_ONE`, in `PART`. */
  readonly shares: bigint;
}

/** A yield in base units, rounded down, and its neighbour where nobody can say which of the two it is. */
export interface Earned {
  readonly base: bigint;
  readonly otherBase: bigint | null;
}

export const NO_SAVINGS: Savings = { principalBase: 0n, shares: 0n };

function floored(exact: bigint, nearPart: bigint): Earned {
  if (exact <= 0n) return { base: 0n, otherBase: null };
  const base = exact / PART;
  const rest = exact % PART;
  if (rest < nearPart && base > 0n) return { base, otherBase: base - 1n };
  // What is so near below is what a whole sum looks like after rounding.
  if (PART - rest < nearPart) return { base: base + 1n, otherBase: base };
  return { base, otherBase: null };
}

function value({ shares }: Savings, index: bigint): bigint {
  return (shares * index) / INDEX_ONE;
}

/** What the principal has earned and is not withdrawn, rounded down. Source: docs/fidelity.md, Savings. */
export function earned(savings: Savings, index: bigint): Earned {
  if (savings.shares === 0n) return { base: 0n, otherBase: null };
  const worth = value(savings, index);
  return floored(worth - savings.principalBase * PART, worth / NEAR);
}

/** Savings after more was put in. */
export function withMore(savings: Savings, amountBase: bigint, index: bigint): Savings {
  return {
    principalBase: savings.principalBase + amountBase,
    shares: savings.shares + (amountBase * SHARE) / index,
  };
}

/**
 * The part of the yield that comes with so much of the principal: of the whole base units that are earned, and rounded down again.
 * Source: docs/fidelity.md, Savings.
 */
export function yieldOf(savings: Savings, amountBase: bigint, index: bigint): Earned {
  if (savings.shares === 0n) return { base: 0n, otherBase: null };
  const whole = earned(savings, index);
  const share = (of: bigint) => (of * amountBase) / savings.principalBase;
  const base = share(whole.base);
  const otherBase = whole.otherBase === null ? base : share(whole.otherBase);
  return { base, otherBase: otherBase === base ? null : otherBase };
}

/** Savings after some of the principal, and yield with it, was taken out. A fraction of a base unit is left only while there is principal. */
export function withLess(
  savings: Savings,
  taken: { amountBase: bigint; yieldBase: bigint },
  index: bigint,
): Savings {
  const principalBase = savings.principalBase - taken.amountBase;
  if (principalBase === 0n) return NO_SAVINGS;
  const gone = ((taken.amountBase + taken.yieldBase) * SHARE) / index;
  return { principalBase, shares: savings.shares - gone };
}

/** Savings that have paid so much more yield out than was thought. */
export function withMoreTaken(savings: Savings, yieldBase: bigint, index: bigint): Savings {
  return savings.principalBase === 0n ? savings : withLess(savings, { amountBase: 0n, yieldBase }, index);
}
