import { endpoints } from '../../src/contract/endpoints.js';
import { ERRORS } from '../../src/core/domain/errors.js';
import { DEFAULT_VARIANTS } from '../../src/core/domain/variants.js';
import { LOAN_TRANSITIONS, transitionsIn } from './loan-transitions.js';
import { type Exchange, type ScenarioResult, everyStep } from '../../src/testing/scenario/results.js';
import { LIMIT_SIDES, PUBLISHED_RULES } from './scenario-rules.js';
import { operationAt } from '../../src/contract/match-path.js';

/** The categories of coverage. */
const COVERAGE_KINDS = ['rules', 'operations', 'codes', 'limits', 'variants', 'loan transitions'] as const;
type CoverageKind = (typeof COVERAGE_KINDS)[number];

/** Coverage of one category: how many items there are, and which no scenario covers. */
interface Covered {
  readonly kind: CoverageKind;
  readonly all: number;
  readonly missing: readonly string[];
}

/** Every value of every switch. Review policies and other error statuses are families: one value of each kind suffices. */
const VARIANTS: readonly string[] = [
  ...['merged', 'A', 'B'].map((each) => `overview=${each}`),
  ...['0-1000', '300-850'].map((each) => `score=${each}`),
  ...['union', 'six', 'four'].map((each) => `purposes=${each}`),
  ...['optional', 'required'].map((each) => `duration=${each}`),
  ...['all', 'no-credit'].map((each) => `historyTypes=${each}`),
  ...['instant', 'queued'].map((each) => `withdrawals=${each}`),
  ...['utc-day', 'rolling-24h'].map((each) => `dailyWindow=${each}`),
  ...['once', 'repeatedly'].map((each) => `paymentRequests=${each}`),
  ...['manual', 'auto', 'delay'].map((each) => `review=${each}`),
  ...['mainnet', 'devnet'].map((each) => `network=${each}`),
  'errorStatus',
];

const TABLE = endpoints(DEFAULT_VARIANTS);

/** The operation of a request; null for none. */
function operationOf({ method, path }: Exchange): string | null {
  const [bare = ''] = path.split('?');
  const inApi = bare.replace(/^.*?\/api\/v1/, '');
  return operationAt(TABLE, method, inApi)?.operation ?? null;
}

/** What passed scenarios covered, and what none did. Their steps must have retained their entries. */
export function coverage(results: readonly ScenarioResult[]): Covered[] {
  const touched: Record<CoverageKind, Set<string>> = {
    rules: new Set(),
    operations: new Set(),
    codes: new Set(),
    limits: new Set(),
    variants: new Set(),
    'loan transitions': new Set(),
  };
  for (const result of results.filter(({ verdict }) => verdict === 'passed')) {
    for (const tag of result.tags) {
      touched.rules.add(tag);
      touched.limits.add(tag);
    }
    for (const variant of result.variants) touched.variants.add(variant);
    for (const transition of transitionsIn(result)) touched['loan transitions'].add(transition);
    for (const { exchanges } of everyStep(result.steps))
      for (const exchange of exchanges.filter(({ to }) => to === 'bank')) {
        const operation = operationOf(exchange);
        if (operation !== null) touched.operations.add(operation);
        const { code } = (exchange.responseBody ?? {}) as { code?: unknown };
        if (typeof code === 'string') touched.codes.add(code);
      }
  }
  const all: Record<CoverageKind, readonly string[]> = {
    rules: PUBLISHED_RULES,
    operations: Object.keys(TABLE),
    // Only a bank on a cluster begins after its chain.
    codes: Object.keys(ERRORS).filter((code) => code !== 'transaction_too_old'),
    limits: LIMIT_SIDES,
    variants: VARIANTS,
    'loan transitions': LOAN_TRANSITIONS,
  };
  return COVERAGE_KINDS.map((kind) => ({
    kind,
    all: all[kind].length,
    missing: all[kind].filter((each) => !touched[kind].has(each)),
  }));
}
