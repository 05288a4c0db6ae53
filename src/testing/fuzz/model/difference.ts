/** An expected value, exact or in words, with the equivalent matcher of scenarios if one exists. */
export type Wanted = { readonly value: unknown } | { readonly words: string; readonly matcher?: unknown };

/** Where a response differs from the expected one. */
export interface BodyDifference {
  readonly kind: 'body';
  /** Names of members and indices of lists, from the body on. */
  readonly path: readonly (string | number)[];
  readonly expected: Wanted;
  /** Undefined when it is absent. */
  readonly actual: unknown;
  /** Whether the value is inside an encoded text of the response. */
  readonly isEncoded?: true;
}

/** An order of overlapping calls that does not explain their responses. */
export interface OrderTried {
  readonly operations: readonly string[];
  /** The first call whose response deviates, and how. */
  readonly operation: string;
  /** Number of calls before it that the order explains. */
  readonly at?: number;
  readonly deviation: Deviation;
}

/** A deviation of the service from the model. */
export type Difference =
  | BodyDifference
  | {
      readonly kind: 'status';
      readonly expected: { readonly status: number; readonly code: string | null };
      readonly actual: { readonly status: number; readonly body: unknown };
    }
  /** A response, with its status if known, that a fault should have removed. */
  | { readonly kind: 'answered'; readonly status: number | null }
  | { readonly kind: 'unanswered' }
  /** An agent's on-chain balance, in base units. */
  | {
      readonly kind: 'chain';
      readonly agent: string;
      readonly token: 'USDC' | 'SOL';
      readonly expected: bigint;
      readonly actual: bigint;
    }
  | { readonly kind: 'invariant'; readonly rule: string; readonly text: string }
  | { readonly kind: 'overlap'; readonly tried: readonly OrderTried[] }
  | { readonly kind: 'exception'; readonly message: string };

/** How a world deviates from the rules: a difference, or a description by a custom command, rule or model. */
export type Deviation = Difference | string;

const NO_ORDER = 'no order of the overlapping calls explains their responses.';

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** A path in a response, such as `loans[0].status`; `body` for the whole body. */
export function pathText(path: BodyDifference['path']): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return text === '' ? 'body' : text.replace(/^\./, '');
}

export function deviationText(deviation: Deviation): string {
  if (typeof deviation === 'string') return deviation;
  switch (deviation.kind) {
    case 'body': {
      const { path, expected, actual } = deviation;
      const wanted = 'words' in expected ? expected.words : shown(expected.value);
      return `${pathText(path)}: expected ${wanted}, got ${shown(actual)}`;
    }
    case 'status': {
      const { expected, actual } = deviation;
      const wanted = expected.code === null ? expected.status : `${expected.status} ${expected.code}`;
      return `status: expected ${wanted}, got ${actual.status} ${JSON.stringify(actual.body)?.slice(0, 400)}`;
    }
    case 'answered':
      return deviation.status === null
        ? 'the response should have been lost'
        : `the connection should have ended, but the service returned ${deviation.status}`;
    case 'unanswered':
      return 'the connection ended without a response';
    case 'chain': {
      const { agent, token, expected, actual } = deviation;
      return `sent on chain: the wallet of ${agent} should hold ${expected} base units of ${token} but holds ${actual}`;
    }
    case 'invariant':
      return `${deviation.rule}: ${deviation.text}`;
    case 'overlap': {
      const orders = deviation.tried.map(
        (tried) => `${tried.operations.join(', ')}: ${tried.operation}: ${deviationText(tried.deviation)}`,
      );
      return `${NO_ORDER} ${orders.join('; ')}`;
    }
    case 'exception':
      return `an exception: ${deviation.message}`;
  }
}

/** Ids, addresses, signatures, quoted values and numbers, which vary between failures of one kind. */
const VALUES =
  /"[^"]*"|\b(?=\w*\d)(?:loan|payment)_\w+|\b(?=\w*\d)[0-9a-f]{8,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[1-9A-HJ-NP-Za-km-z]{32,}\b|\d+(?:[.,]\d+)*/g;

function withoutValues(text: string): string {
  return text.replace(VALUES, '#');
}

/** The order that explains most calls before a response deviates. */
function closest(tried: readonly OrderTried[]): OrderTried | undefined {
  const explained = ({ operations, at }: OrderTried) => (at ?? 0) / Math.max(1, operations.length);
  return tried.reduce<OrderTried | undefined>(
    (best, each) => (best === undefined || explained(each) > explained(best) ? each : best),
    undefined,
  );
}

/** The deviation without numbers, names and values, but with codes and statuses: equal for deviations of one kind. */
export function deviationKind(deviation: Deviation): string {
  if (typeof deviation === 'string') return withoutValues(deviation.split(/: |, | should /, 1)[0] ?? '');
  switch (deviation.kind) {
    case 'body': {
      const path = pathText(deviation.path);
      return path === 'code' ? deviationText(deviation) : withoutValues(path);
    }
    case 'status': {
      const { expected, actual } = deviation;
      const { code } = (actual.body ?? {}) as { code?: unknown };
      const codes = [expected.code, typeof code === 'string' ? code : null];
      const [wanted, got] = codes.map((each) => (each === null ? '' : ` ${each}`));
      return `status: expected ${expected.status}${wanted}, got ${actual.status}${got}`;
    }
    case 'answered':
      return deviation.status === null ? 'the response' : 'the connection';
    case 'unanswered':
      return deviationText(deviation);
    case 'chain':
      return 'sent on chain';
    case 'invariant':
      return deviation.rule;
    case 'overlap': {
      // Like the failure of the calls one by one, so that shrinking can remove an unnecessary overlap.
      const order = closest(deviation.tried);
      return order === undefined ? 'no order' : `${order.operation}: ${deviationKind(order.deviation)}`;
    }
    case 'exception':
      return `an exception: ${withoutValues(deviation.message.split('\n', 1)[0] ?? '')}`;
  }
}
