import { Document, type Node, isCollection, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Endpoint, EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';

export type WrittenStep = Record<string, unknown>;

/** The action of a step, without the step's other members. */
export interface StepAction {
  /** `alice.withdraw`, or a verb of the world. */
  readonly title: string;
  readonly args: unknown;
}

/** The contents of a call, with texts in the notation of scenarios. */
export interface CallParts {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export const VERB_NAMES = {
  challenge: 'challenge',
  verify: 'verify',
  profile: 'profile',
  eligibility: 'eligibility',
  account: 'account',
  deposit: 'deposit',
  withdraw: 'withdraw',
  transactions: 'transactions',
  savingsDeposit: 'savings.deposit',
  savingsWithdraw: 'savings.withdraw',
  yieldRates: 'savings.yield',
  collateralBorrow: 'collateral.borrow',
  collateralRepay: 'collateral.repay',
  x402Pay: 'x402.pay',
  x402Receive: 'x402.receive',
  x402Request: 'x402.request',
  loans: 'loans',
  loanApply: 'loans.apply',
  loan: 'loans.get',
  loanRepay: 'loans.repay',
  onboard: 'onboard',
} as const satisfies Record<EndpointId, string>;

const LINE_WIDTH = 110;

/** The name of a step member misplaced among the arguments, where it would be ignored. */
export function misplaced(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  return ['expect', 'save', 'note'].find((name) => Object.hasOwn(args, name));
}

/** A call as a verb of an agent that uses its own valid token; null if the verb would behave differently. */
export function verbCall(
  agent: string,
  operation: EndpointId,
  { method }: Endpoint,
  { params = {}, query = {}, body }: CallParts,
): StepAction | null {
  const isRead = method === 'GET';
  const input = isRead ? query : body;
  const isMore = isRead ? body !== undefined : Object.keys(query).length > 0;
  if (!isObject(input) || isMore || misplaced(input) !== undefined) return null;
  if (Object.keys(params).some((name) => Object.hasOwn(input, name))) return null;
  // Without these members the verbs make more calls or insert values.
  if (operation === 'deposit' && input['tx_signature'] === undefined) return null;
  if (operation === 'challenge' && input['wallet'] === undefined) return null;
  return { title: `${agent}.${VERB_NAMES[operation]}`, args: { ...params, ...input } };
}

/** A call as a raw request, with the token of an agent or anonymous. `more` are its text and headers. */
export function rawCall(
  agent: string | null,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  { query = {}, body }: CallParts,
  more: object,
): StepAction {
  const args = {
    ...(method === 'GET' && body === undefined ? {} : { method }),
    path,
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...more,
    ...(body === undefined ? {} : { body }),
  };
  return { title: agent === null ? 'call' : `${agent}.call`, args };
}

/** The agents that steps mention: as actors, in references or as arguments. */
export function agentsIn<T>(
  steps: readonly WrittenStep[],
  agents: Iterable<readonly [name: string, agent: T]>,
): Record<string, T> {
  const said = JSON.stringify(steps);
  return Object.fromEntries([...agents].filter(([name]) => new RegExp(`["{]${name}["}.]`).test(said)));
}

/** Writes a step without arguments as its name. */
function shortened(step: WrittenStep): WrittenStep | string {
  const [title = '', ...more] = Object.keys(step);
  const args = step[title];
  const isBare = title.includes('.') && more.length === 0 && isObject(args) && Object.keys(args).length === 0;
  return isBare ? title : step;
}

/** Formats arguments and expectations in flow style. */
function inLines(steps: Node): void {
  if (!isSeq(steps)) return;
  for (const step of steps.items) {
    if (!isMap(step)) continue;
    for (const pair of step.items) {
      if (!isPair(pair) || !isCollection(pair.value)) continue;
      if (isScalar(pair.key) && pair.key.value === 'parallel') inLines(pair.value);
      else pair.value.flow = true;
    }
  }
}

/** Renders a scenario as a file. A scenario with a comment at its top is formatted for readers, with a step on each line. */
export function scenarioText(
  file: { readonly steps: readonly WrittenStep[]; readonly [member: string]: unknown },
  comment?: readonly string[],
): string {
  const options = { aliasDuplicateObjects: false };
  if (comment === undefined) return new Document(file, options).toString({ lineWidth: LINE_WIDTH });
  const document = new Document({ ...file, steps: file.steps.map(shortened) }, options);
  // A line break would end the comment.
  document.commentBefore = comment
    .map((line) => ` ${line.replaceAll(/[\r\n\u0085\u2028\u2029]+/g, ' ')}`)
    .join('\n');
  const { contents } = document;
  if (isMap(contents)) {
    inLines(contents.get('steps', true) as unknown as Node);
    const tags: unknown = contents.get('tags', true);
    if (isCollection(tags)) tags.flow = true;
    const agents: unknown = contents.get('agents', true);
    for (const pair of isMap(agents) ? agents.items : [])
      if (isCollection(pair.value)) pair.value.flow = true;
  }
  return document.toString({ lineWidth: LINE_WIDTH, singleQuote: true, flowCollectionPadding: true });
}
