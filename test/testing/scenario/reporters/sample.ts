import type { Reporter, Sink } from '../../../../src/testing/scenario/reporters/reporter.js';
import {
  type Balances,
  type Exchange,
  type Holdings,
  NOTHING_DONE,
  type PropertyResult,
  type ScenarioResult,
  type StepResult,
  type SuiteResult,
} from '../../../../src/testing/scenario/results.js';

/** A sink that keeps what is written. */
export class MemorySink implements Sink {
  text = '';

  constructor(
    readonly isTerminal = false,
    readonly columns = 100,
  ) {}

  write(text: string): void {
    this.text += text;
  }
}

/** What a reporter writes about a suite. */
export function reported(
  make: (sink: Sink) => Reporter,
  of: SuiteResult = suite(),
  sink = new MemorySink(),
): string {
  const reporter = make(sink);
  reporter.begin?.(of);
  for (const result of of.results) reporter.ended?.(result);
  reporter.end?.(of);
  return sink.text;
}

/** An agent's holdings; only the wallet unless stated. */
export function holdings(usdc: number, sol: number, more: Partial<Holdings> = {}): Holdings {
  return {
    wallet: { usdc, sol },
    checking: { usdc: 0, sol: 0 },
    savings: { usdc: 0, sol: 0 },
    debtUsdc: 0,
    ...more,
  };
}

export function exchange(more: Partial<Exchange> = {}): Exchange {
  return {
    to: 'bank',
    method: 'POST',
    path: '/api/v1/agents/deposit',
    requestHeaders: { 'content-type': 'application/json' },
    requestBody: { token: 'USDC', amount: 25 },
    status: 200,
    responseHeaders: { 'x-request-id': 'req-7' },
    responseBody: { success: true, balance: 25 },
    problem: null,
    ms: 4.2,
    ...more,
  };
}

export function step(more: Partial<StepResult> = {}): StepResult {
  return {
    place: '1',
    title: 'alice.deposit',
    args: { token: 'USDC', amount: 25 },
    note: null,
    line: 8,
    verdict: 'passed',
    ...NOTHING_DONE,
    ms: 5,
    exchanges: [exchange()],
    before: { alice: holdings(100, 1), bob: holdings(40, 2) },
    after: {
      alice: holdings(75, 0.999995, { checking: { usdc: 25, sol: 0 } }),
      bob: holdings(40, 2),
    },
    at: '2026-01-01T00:00:10.000Z',
    ...more,
  };
}

/** A step whose loan was refused though it was expected. */
export function refusedStep(more: Partial<StepResult> = {}): StepResult {
  return step({
    place: '2',
    title: 'alice.borrow',
    args: { amount: 500, collateral: { token: 'SOL', amount: 0.1 } },
    note: 'The collateral is worth enough',
    line: 14,
    verdict: 'failed',
    exchanges: [
      exchange({
        path: '/api/v1/agents/collateral/borrow',
        requestBody: { amount: 500 },
        status: 400,
        responseBody: { error: 'insufficient_collateral', details: { available_to_borrow: 7.5 } },
      }),
    ],
    mismatches: [
      { path: 'status', expected: '200', actual: '400' },
      { path: 'details.available_to_borrow', expected: 'between 400 and 600', actual: '7.5' },
    ],
    explanation: 'The bank lends half of what 0.1 SOL is worth at 150 USD: 7.5 USDC, less than 500 USDC.',
    before: step().after,
    after: {
      alice: holdings(75, 0.999995, { checking: { usdc: 25, sol: 0 }, debtUsdc: 10 }),
      bob: holdings(40, 2),
    },
    ...more,
  });
}

export function scenario(more: Partial<ScenarioResult> = {}): ScenarioResult {
  return {
    id: 'scenarios/deposit.yaml',
    file: 'scenarios/deposit.yaml',
    line: 1,
    name: 'A deposit is credited once',
    description: 'What is sent to the bank is on the books afterwards.',
    tags: ['deposit', 'smoke'],
    variants: ['withdrawals=queued'],
    verdict: 'passed',
    reason: null,
    firstFailure: null,
    target: 'in-process',
    engine: 'litesvm',
    seed: '42',
    ms: 31,
    steps: [step()],
    rerun: "npx sim run 'scenarios/deposit.yaml' --seed 42",
    inspector: null,
    property: null,
    ...more,
  };
}

export function failedScenario(more: Partial<ScenarioResult> = {}): ScenarioResult {
  return scenario({
    id: 'scenarios/loans.yaml#2',
    file: 'scenarios/loans.yaml',
    line: 5,
    name: 'A loan on SOL',
    tags: ['loan'],
    verdict: 'failed',
    steps: [step(), refusedStep()],
    rerun: 'npx sim run scenarios/loans.yaml#2 --seed 42',
    ...more,
  });
}

export function skippedScenario(more: Partial<ScenarioResult> = {}): ScenarioResult {
  return scenario({
    id: 'scenarios/slow.yaml',
    file: 'scenarios/slow.yaml',
    name: 'A year goes by',
    tags: ['slow'],
    verdict: 'skipped',
    reason: 'time cannot be moved on a deployed bank',
    steps: [],
    rerun: 'npx sim run scenarios/slow.yaml --seed 42',
    ms: 0,
    ...more,
  });
}

export function property(more: Partial<PropertyResult> = {}): PropertyResult {
  return {
    runs: 100,
    steps: 2000,
    seed: 42,
    goals: { 'a loan was repaid': 61, 'a deposit was lost': 0 },
    counterexample: 'name: money is kept\nsteps:\n  - alice.deposit: 1\n  - alice.withdraw: 2\n',
    ...more,
  };
}

/** A suite of the scenarios, by default one of each verdict. */
export function suite(more: Partial<SuiteResult> = {}): SuiteResult {
  const results = more.results ?? [scenario(), failedScenario(), skippedScenario()];
  return {
    scenarios: results.length,
    target: 'in-process',
    engine: 'litesvm',
    workers: 2,
    shard: null,
    startedAt: '2026-11-21T13:00:00.000Z',
    durationMs: 1234,
    results,
    unfinished: [],
    ...more,
  };
}

const ALICE = 'A1icexxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx';

/** A journal entry in the form of the event log. */
export function entry(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    seq: 31,
    at: '2026-01-01T00:00:09.000Z',
    kind: 'entry',
    requestId: 'req-7',
    entry: 12,
    wallet: ALICE,
    facts: { kind: 'deposit.credited', signature: '5sig' },
    postings: [
      { account: 'vault', token: 'USDC', amount: 25 },
      { account: 'checking', owner: ALICE, token: 'USDC', amount: -25 },
    ],
    ...more,
  };
}

/** A transaction in the form of the event log. */
export function transaction(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    seq: 30,
    at: '2026-01-01T00:00:08.000Z',
    kind: 'transaction',
    requestId: 'req-7',
    signature: '5sig'.padEnd(88, 'x'),
    slot: 1234,
    error: null,
    feeLamports: 5000,
    signer: ALICE,
    changed: [{ address: ALICE, lamports: -5000 }],
    ...more,
  };
}

/** A scenario of many steps, in which two agents save and spend; its answers have the given length. */
export function longScenario(number: number, steps: number, bodyLength: number): ScenarioResult {
  const balances = (at: number): Balances => ({
    alice: holdings(1000 - at * 7.25, 2 - at * 0.000005, {
      checking: { usdc: at * 4.25, sol: 0.1 },
      savings: { usdc: at * 3, sol: at % 3 },
    }),
    bob: holdings(40 + (at % 5), 3),
  });
  return scenario({
    id: `scenarios/long-${number}.yaml`,
    file: `scenarios/long-${number}.yaml`,
    name: `Saving and spending, number ${number}`,
    tags: ['long', number % 2 === 0 ? 'even' : 'odd'],
    steps: Array.from({ length: steps }, (_, at) =>
      step({
        place: String(at + 1),
        title: at % 2 === 0 ? 'alice.deposit' : 'bob.pay',
        exchanges: [exchange({ responseBody: { ok: true, note: 'word '.repeat(bodyLength / 5) } })],
        before: balances(at),
        after: balances(at + 1),
        entries: [entry(), entry({ entry: 13 })],
        transactions: [transaction()],
      }),
    ),
  });
}
