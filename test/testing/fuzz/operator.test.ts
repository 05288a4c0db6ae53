import { describe, expect, it, onTestFinished } from 'vitest';
import type { FiredEvent } from '../../../src/runtime/due-runner.js';
import type { FuzzEngine, FuzzTarget } from '../../../src/testing/fuzz-library.js';
import { opening } from '../../../src/testing/fuzz/play/replay.js';
import { ENGINES } from '../../support/world.js';
import { fuzzedWith } from './lying.js';
import { type Unnumbered, advance, ann, numbered, opened, operator } from './steps.js';

const OPENING = opening(['ann', 'ben', 'cem']);
const AT = '2026-03-01T00:00:00.000Z';

const of = (step: number, what: string) => `\${s${OPENING.length + 1 + step}.${what}}`;

/** How a world deviates after some steps: the kind and the text of the failure, or null. */
async function deviation(
  steps: readonly Unnumbered[],
  options: { engine?: FuzzEngine; target?: FuzzTarget },
): Promise<string | null> {
  const { runner, play } = await opened({ seed: 'operator', agents: 3, ...options });
  onTestFinished(() => runner.world.close());
  const failure = await play([...OPENING, ...numbered(steps, OPENING.length)]);
  return failure && `${failure.kind}: ${failure.text}`;
}

const LOAN = [
  ann('identity.link', { of: '${ann}', x: true, github: true }),
  ann('loanApply', { body: { amount: 200, purpose: 'task' } }),
  operator('review.approve', { loan: of(1, 'loan') }),
];
const GIFTS = ['${ann}', '${ann.collection}', '${treasury}', '${cem}'].flatMap((to) => [
  operator('faucet.give', { to, usdc: 2.5 }),
  operator('faucet.give', { to, sol: 2 }),
]);

const POOR = operator('balance.set', { to: '${cem}', sol: 0.000004999 });
const [TINY, MORE] = [0.000005, 1].map((amount) =>
  ann('withdraw', { body: { amount, token: 'SOL', destination: '${cem}' } }),
) as [Unnumbered, Unnumbered];

/** Steps that agree with the model, with amounts and instants that campaigns rarely draw. They play what else an operator does. */
const STEPS: Readonly<Record<string, readonly Unnumbered[]>> = {
  'too little SOL for an address that is new': [
    operator('faucet.give', { to: '${cem.collection}', sol: 0.000000001 }),
  ],
  'SOL for a wallet below the rent minimum, which the engines take differently': [
    POOR,
    operator('faucet.give', { to: '${cem}', sol: 0.000000001 }),
    MORE,
    TINY,
    POOR,
    TINY,
    operator('twin', { rule: 'engine', calls: [TINY] }),
    POOR,
    operator('faucet.give', { to: '${cem}', sol: 0.000885881 }),
  ],
  'rates as percentages, from an instant that is to come or has passed': [
    operator('oracle.set', { usdc: ' 0.29 %', from: AT }),
    operator('oracle.set', { solUsd: 100, from: '2026-01-01T00:00:00.000Z' }),
    advance('100d'),
  ],
};

describe.each(ENGINES)('what an operator does on %s', (engine) => {
  it.each(Object.entries(STEPS))('agrees with the model: %s', async (_, steps) => {
    expect(await deviation(steps, { engine })).toBeNull();
  });
});

/** What a world answers wrongly to an operator, and how that is told. */
const LIES: readonly (readonly [string, readonly Unnumbered[], string, RegExp])[] = [
  ['a balance', GIFTS, 'USDC', /^faucet.give: balances.USDC: /],
  [
    'what a loan took',
    [...LOAN, operator('loan.pay', { loan: of(1, 'loan'), amount: 1 })],
    'paid',
    /^loan.pay: paid: /,
  ],
];

it.each(LIES)(
  'a world is found whose answer to an operator is wrong about %s',
  async (_, steps, member, kind) => {
    const target = fuzzedWith((world) => ({
      control: async (call) => {
        const { status, body } = await world.control(call);
        const told = JSON.stringify(body).replace(`"${member}":`, `"${member}":1`);
        return { status, body: JSON.parse(told) as unknown };
      },
    }));
    expect(await deviation(steps, { target })).toMatch(kind);
  },
);

interface Advanced {
  readonly fired: readonly FiredEvent[];
  readonly slot: number;
}

/** A loan's due date that is told with other members. */
const due =
  (more: object) =>
  ({ fired }: Advanced) => ({
    fired: fired.map((event) => (event.kind === 'loan.due' ? { ...event, ...more } : event)),
  });

/** What an operator may be told wrongly about a jump of the clock past the day on which a loan is due. */
const JUMPS: readonly (readonly [string, (answer: Advanced) => object])[] = [
  ['lacks the last event', ({ fired }) => ({ fired: fired.slice(0, -1) })],
  ['names another kind of event', due({ kind: 'loan.defaulted' })],
  [
    'is late by a millisecond',
    ({ fired: [first, ...others] }) => {
      const at = new Date(Date.parse(first?.at ?? '') + 1).toISOString();
      return { fired: [{ ...first, at }, ...others] };
    },
  ],
  ['names a loan without its number', due({ subject: 'loan' })],
  ['has a slot too many', ({ slot }) => ({ slot: slot + 1 })],
];

it.each(JUMPS)('an answer to a jump of the clock is a find when it %s', async (_, lie) => {
  const target = fuzzedWith((world) => ({
    advance: async (ms) => {
      const { status, body } = await world.advance(ms);
      const isJump = ms > 86_400_000;
      return { status, body: isJump ? { ...(body as Advanced), ...lie(body as Advanced) } : body };
    },
  }));
  expect(await deviation([...LOAN, advance(31 * 86_400_000)], { target })).toMatch(/^time.advance: /);
});
