import { AGENT_RULES, type AgentEnd, type Broken, type RunFacts, outgoingText, usdc } from './checks.js';
import type { DiaryLine } from './diary.js';
import { type AgentPlan, mishapText } from './plan.js';
import type { AgentRun } from './run.js';

/** Of a longer story only its beginning and its end are told. */
const TOLD_FIRST = 24;
const TOLD_LAST = 6;

function lineText({ did, answer, mishaps }: DiaryLine): string {
  const struck = mishaps.map((says) => `   [${did === '' ? '' : 'mishap: '}${says}]`).join('');
  return `${did}${answer === null ? '' : ` → ${answer}`}${struck}`.trim();
}

/** Lines that repeat, once and with how often. */
function collapsed(lines: readonly string[]): string[] {
  const told: { text: string; times: number }[] = [];
  for (const text of lines) {
    const last = told.at(-1);
    if (last?.text === text) last.times += 1;
    else told.push({ text, times: 1 });
  }
  return told.map(({ text, times }) => (times === 1 ? text : `${text} (${times} times)`));
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= TOLD_FIRST + TOLD_LAST) return [...lines];
  const left = lines.length - TOLD_FIRST - TOLD_LAST;
  return [...lines.slice(0, TOLD_FIRST), `… and ${left} more …`, ...lines.slice(-TOLD_LAST)];
}

function endText(end: AgentEnd): string {
  switch (end.kind) {
    case 'threw':
      return `gives up: ${end.message}`;
    case 'stopped':
      return 'is stopped';
    case 'reported': {
      const members = Object.entries(end.report).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      return members.length === 0 ? 'ends and reports nothing' : `reports ${members.join(', ')}`;
    }
  }
}

function booksText({ orders, strange, spentBase, balanceBase }: RunFacts): string[] {
  const perOrder = orders.map(({ id, payments, served }) => {
    const paid = payments.length === 0 ? 'not paid' : `paid ${payments.map(outgoingText).join(' and ')}`;
    return `${id}: ${paid}, ${served === 0 ? 'not delivered' : 'delivered'}`;
  });
  const others = strange.map((each) => `somebody else: paid ${outgoingText(each)}`);
  return [...perOrder, ...others, `spent ${usdc(spentBase)}, balance ${usdc(balanceBase)}`];
}

/** What happened in a run, call by call. */
export function storyLines({ diary, end }: Pick<AgentRun, 'diary' | 'end'>): string[] {
  return shortened(collapsed([...diary.map(lineText), endText(end)]));
}

/** A run that breaks a rule, in words: what was to be bought, what went wrong, what happened, what the books say, which rule. */
export function storyText(run: AgentRun & { readonly broken: Broken }, plan: AgentPlan): string {
  const { broken, facts } = run;
  const orders = plan.orders.map(
    ({ price, maxPrice }, at) => `order-${at + 1}: costs ${price} USDC, and may cost ${maxPrice}`,
  );
  const mishaps = plan.mishaps.map(mishapText);
  const list = (lines: readonly string[]) => lines.map((line) => `  - ${line}`);
  const steps = storyLines(run).map((line, at) => `  ${String(at + 1).padStart(2)}. ${line}`);
  return [
    `${broken.rule}: ${broken.text}.`,
    '',
    `To buy, with a budget of ${plan.budget} USDC:`,
    ...list(orders),
    mishaps.length === 0 ? 'Nothing went wrong.' : 'What went wrong:',
    ...list(mishaps),
    'What the agent did:',
    ...steps,
    'What the books say:',
    ...list(booksText(facts)),
    `The rule: ${AGENT_RULES[broken.rule]}`,
  ].join('\n');
}
