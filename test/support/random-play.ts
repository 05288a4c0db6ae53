import fc from 'fast-check';
import type { EndpointId } from '../../src/contract/endpoints.js';
import { PHASES_OF } from '../../src/runtime/faults/fault-rules.js';
import type { FaultInput } from '../../src/runtime/faults-api.js';
import { RefusedError } from '../../src/runtime/refusals.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { InProcessFuzzWorld } from '../../src/testing/drivers/in-process-fuzz.js';
import { drawStep } from '../../src/testing/fuzz/play/drawing.js';
import { rememberCall } from '../../src/testing/fuzz/commands/play-call.js';
import {
  type Answer,
  type Args,
  COMMANDS,
  type Draw,
  type Command,
  type FuzzEngine,
  Model,
  ModelRunner,
  type Step,
  callOf,
  composed,
} from '../../src/testing/fuzz-library.js';
import { byVerb } from '../../src/testing/fuzz/commands/command.js';
import { opening } from '../../src/testing/fuzz/play/replay.js';
import { drawing } from './seeded.js';

/** How often each outcome of each command came: `withdraw ok`, `deposit invalid_amount`. */
type Outcomes = Map<string, number>;

const DAY_MS = 86_400_000;
const POLICIES = ['manual', 'auto', 'delay:2h'];
const SUBMITTING = ['withdraw', 'x402Pay', 'x402Request'];
const ENDPOINTS = [...SUBMITTING, 'deposit', 'x402Receive', 'loanRepay'];

/** Something that is done to the world past the model, so that answers cannot be predicted afterwards. */
function act(
  name: string,
  args: (draw: Draw, runner: ModelRunner) => Args,
  play: (args: never, runner: ModelRunner) => unknown,
): Command {
  return {
    name,
    weight: 2,
    draw: (runner) => composed((draw) => ({ do: name, with: args(draw, runner) })),
    play: async (step, runner) => {
      try {
        await play(runner.resolve(step.with) as never, runner);
        return { outcome: 'ok', deviation: null };
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return { outcome: error.refusal.code, deviation: null };
      }
    },
  };
}

/** What operators and others do that the model of the fuzzer knows nothing about. */
function surroundings(sim: Simulator): Command[] {
  const token = fc.constantFrom('USDC', 'SOL');
  return [
    act(
      'anyPolicy',
      (draw) => ({ policy: draw(fc.constantFrom(...POLICIES)) }),
      ({ policy }: { policy: string }) => sim.reviews.setPolicy(policy),
    ),
    act(
      'plannedApy',
      (draw) => ({
        token: draw(token),
        apy: draw(fc.constantFrom(0.01, 0.09)),
        inMs: draw(fc.constantFrom(0, 1_500, DAY_MS)),
      }),
      (args: { token: 'USDC' | 'SOL'; apy: number; inMs: number }) =>
        sim.oracle.setApy(args.token, args.apy, { from: new Date(sim.now().getTime() + args.inMs) }),
    ),
    act(
      'loanPay',
      (draw, { memory }) => ({
        loan: memory.loans.length === 0 ? 'loan_of_nobody' : draw(fc.constantFrom(...memory.loans)).reference,
        amount: draw(fc.constantFrom(0.000001, 33.333333, 300)),
      }),
      ({ loan, amount }: { loan: string; amount: number }) => sim.reviews.pay(loan, amount),
    ),
    act(
      'outsiderPays',
      (draw, { names }) => ({ to: `\${${draw(fc.constantFrom(...names))}.collection}`, token: draw(token) }),
      async (args: { to: string; token: 'USDC' | 'SOL' }, { memory }) => {
        const { signature } = await sim.faucet(args.to, 0.25, args.token);
        memory.transactions.push({ reference: signature, signature, by: null, others: [], transfers: [] });
      },
    ),
  ];
}

/** Borrows all that the savings allow, to the base unit, then one more, then tries to take the savings out. */
const SQUEEZE: Command = {
  name: 'squeeze',
  weight: 4,
  draw: ({ names }) => fc.constantFrom(...names).map((by) => ({ do: 'squeeze', by, with: {} })),
  play: async ({ by = '' }, runner) => {
    const call = async (operation: EndpointId, body: Args) =>
      runner.world.call(callOf(operation, { by, with: { body } }, runner), null);
    const told = (await call('account', {}))?.body as { collateral?: Record<string, number> } | undefined;
    const { available = 0, total_savings_usdc: saved = 0 } = told?.collateral ?? {};
    await call('collateralBorrow', { amount: available });
    await call('collateralBorrow', { amount: 0.000001 });
    await call('savingsWithdraw', { amount: saved, token: 'USDC' });
    return { outcome: 'ok', deviation: null };
  },
};

/** Faults of every effect, at calls that move money. */
function faults(sim: Simulator): Command {
  const args = (draw: Draw) => {
    const [effect, phases] = draw(fc.constantFrom(...Object.entries(PHASES_OF)));
    const delay = effect.startsWith('delay') ? { delay: draw(fc.constantFrom('5s', '45s', '3m')) } : {};
    const phase = draw(fc.constantFrom(...phases));
    const submits = phase === 'chain-submit' && effect !== 'chain-unavailable';
    return {
      endpoint: draw(fc.constantFrom(...(submits ? SUBMITTING : ENDPOINTS))),
      effect,
      phase,
      when: { times: 1 },
      ...delay,
    };
  };
  const play = (fault: FaultInput) =>
    sim.faults.list().length > 3 ? sim.faults.clear() : sim.faults.add(fault);
  return { ...act('fault', args, play), weight: 25 };
}

/** A world that keeps its last answer. */
class AnsweringWorld extends InProcessFuzzWorld {
  #last: Answer | null | undefined;

  /** The answer since this was last asked: null for a lost one, undefined for none. */
  answered(): Answer | null | undefined {
    const answer = this.#last;
    this.#last = undefined;
    return answer;
  }

  /** Throws when the answer is an internal error. */
  override async call(...call: Parameters<InProcessFuzzWorld['call']>): Promise<Answer | null> {
    const answer = await super.call(...call);
    this.#last = answer;
    if (codeOf(answer?.body) === 'internal_error')
      throw new Error(`${call[0].operation}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

const codeOf = (body: unknown) => (body as { readonly code?: string } | undefined)?.code;

/**
 * Plays steps that the fuzzer draws in a world of the test's own, among policies, outsiders and, on demand, faults. Of these the
 * model of the fuzzer knows nothing: it guides what is drawn, and answers are not compared with it.
 */
export class RandomPlay {
  readonly outcomes: Outcomes = new Map();
  readonly #world: AnsweringWorld;
  readonly #runner: ModelRunner;
  readonly #draw: Draw;
  readonly #commands: readonly Command[];
  readonly #byVerb: ReadonlyMap<string, Command>;
  readonly #begins: readonly Step[];
  #played = 0;

  /** `isInOrder` leaves out calls that overlap: which of them comes first depends on the engine. */
  constructor(sim: Simulator, seed: string, { agents = 3, hasFaults = false, isInOrder = false } = {}) {
    const engine = sim.config.engine as FuzzEngine;
    this.#world = new AnsweringWorld(sim, { engine, transport: 'http' }, { pause: null });
    this.#runner = new ModelRunner(this.#world, new Model(this.#world.modelConfig), agents);
    this.#draw = drawing(seed);
    const drawn = COMMANDS.filter(({ name }) => !isInOrder || name !== 'overlap');
    this.#commands = [...drawn, SQUEEZE, ...surroundings(sim), ...(hasFaults ? [faults(sim)] : [])];
    this.#byVerb = byVerb(this.#commands);
    this.#begins = opening(this.#runner.names);
  }

  /** Plays so many steps; the first ones sign the agents in and give them money. Throws when an answer is an internal error. */
  async play(steps: number): Promise<void> {
    for (let left = steps; left > 0; left -= 1) await this.#step();
  }

  async #step(): Promise<void> {
    const runner = this.#runner;
    let step: Step | null = this.#begins[this.#played] ?? null;
    this.#played += 1;
    while (step === null) step = drawStep(this.#played, this.#commands, { draw: this.#draw, runner });
    runner.drawingEnds();
    const { do: name } = step;
    const command = this.#byVerb.get(name) as Command;
    const { outcome, deviation } = await command.play(step, runner);
    const answer = this.#world.answered();
    // The runner remembers for later steps only what the model agrees with.
    if (answer && deviation !== null) rememberCall(name as EndpointId, step, { response: answer, runner });
    const really = answer === undefined ? outcome : answer === null ? 'lost' : (codeOf(answer.body) ?? 'ok');
    const key = `${name} ${really}`;
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1);
  }
}
