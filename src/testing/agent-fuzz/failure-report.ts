import { AGENT_RULES, type AgentEnd, type Broken, type RunFacts, outgoingText, usdc } from './checks.js';
import type { TraceLine } from './call-trace.js';
import type { FoundInAgent } from './found.js';
import { mishapText } from './plan.js';
import type { AgentRun } from './run.js';

/** A longer trace is shortened in the middle. */
const FIRST_LINES = 24;
const LAST_LINES = 6;

function lineText({ did, response, mishaps }: TraceLine): string {
  const fired = mishaps.map((says) => `   [${did === '' ? '' : 'mishap: '}${says}]`).join('');
  return `${did}${response === null ? '' : ` → ${response}`}${fired}`.trim();
}

/** A line more than twice, or a group of up to eight lines more than once. */
const REPEATED = /(?<=^|\0)(?:([^\0]*\0)\1{2,}|((?:[^\0]*\0){2,8}?)\2+)/g;

/** Numbers lines; repetitions are collapsed into a count. */
function collapsed(lines: readonly string[]): string[] {
  const shown = lines.map((line, at) => `  ${String(at + 1).padStart(2)}. ${line}`);
  const text = lines.map((line) => `${line}\0`).join('');
  const countIn = (part: string) => part.split('\0').length - 1;
  for (const { 0: all, 1: line, 2: group = line ?? '', index } of text.matchAll(REPEATED)) {
    const [first, size] = [countIn(text.slice(0, index)), countIn(group)];
    const times = countIn(all) / size - 1;
    shown.fill('', first + size, first + countIn(all));
    shown[first + size] =
      `      the same ${times === 1 ? 'once' : `${times} times`} more from ${first + 1}. on`;
  }
  return shown.filter((line) => line !== '');
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return [...lines];
  const left = lines.length - FIRST_LINES - LAST_LINES;
  return [...lines.slice(0, FIRST_LINES), `      … ${left} lines more …`, ...lines.slice(-LAST_LINES)];
}

function endText(end: AgentEnd): string {
  switch (end.kind) {
    case 'threw':
      return `gives up: ${end.message}`;
    case 'stopped':
      return 'is stopped';
    case 'reported': {
      const members = Object.entries(end.report).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      return members.length === 0 ? 'finishes without a report' : `reports ${members.join(', ')}`;
    }
  }
}

function booksText({ orders, strange, spentBase, balanceBase }: RunFacts): string[] {
  const perOrder = orders.map(({ id, payments, served }) => {
    const paid = payments.length === 0 ? 'not paid' : `paid ${payments.map(outgoingText).join(' and ')}`;
    return `${id}: ${paid}, ${served === 0 ? 'not delivered' : 'delivered'}`;
  });
  const others = strange.map((each) => `another recipient: paid ${outgoingText(each)}`);
  return [...perOrder, ...others, `spent ${usdc(spentBase)}, balance ${usdc(balanceBase)}`];
}

const REPEATEDLY = 'This bank accepts a payment request more than once.';

export function reportLines({ trace, end }: Pick<AgentRun, 'trace' | 'end'>): string[] {
  return shortened(collapsed([...trace.map(lineText), endText(end)]));
}

/** Renders a run that breaks a rule: orders, faults, trace, books and the broken rule. */
export function failureReport(
  run: AgentRun & { readonly broken: Broken },
  { plan, variants }: Pick<FoundInAgent, 'plan' | 'variants'>,
): string {
  const { broken, facts } = run;
  const orders = plan.orders.map(
    ({ price, maxPrice }, at) => `order-${at + 1}: costs ${price} USDC, may cost at most ${maxPrice}`,
  );
  const mishaps = plan.mishaps.map(mishapText);
  const isOfMoney = ['paid-twice', 'over-budget'].includes(broken.rule);
  const list = (lines: readonly string[]) => lines.map((line) => `  - ${line}`);
  return [
    `${broken.rule}: ${broken.text}.`,
    '',
    `The orders, with a budget of ${plan.budget} USDC:`,
    ...list(orders),
    mishaps.length === 0 ? 'No mishaps were planned.' : 'Planned mishaps:',
    ...list(mishaps),
    ...(variants['paymentRequests'] === 'repeatedly' && isOfMoney ? [REPEATEDLY] : []),
    'What the agent did:',
    ...reportLines(run),
    'What the books show:',
    ...list(booksText(facts)),
    `The rule: ${AGENT_RULES[broken.rule]}`,
  ].join('\n');
}
