import { setImmediate } from 'node:timers/promises';
import { parseDuration } from '../../../core/domain/calendar.js';
import type { Expectations } from '../file/schema.js';
import { shown } from '../expecting/match.js';
import { valueAt } from '../../../core/json.js';
import { type Outcome, codeOf, done, flattenResponse } from '../outcome.js';
import { resolved } from '../references.js';
import { type Balances, type Mismatch, NOTHING_DONE, type StepResult } from '../results.js';
import { type Scenario, type Step, lookingStep } from '../scenario.js';
import { CannotPlay } from '../target.js';
import { check, looksAtEvents, saidOf } from './check.js';
import { type Local, perform } from './perform.js';
import { Recorder, wordsOf } from './recorder.js';
import type { ScenarioContext } from './scenario-context.js';

/** The checks around each step and the data to retain. */
export interface ScenarioRunnerOptions {
  /** When invariants of books and chain are checked. */
  readonly invariants: 'always' | 'end' | 'off';
  /** Whether to also retain requests, balances, entries and transactions of passed steps. */
  readonly isDetailed: boolean;
  /** Called before each step, also before nested steps. A CannotPlay that it throws ends the scenario. */
  readonly onStep?: (step: Step, place: string) => void;
}

/** Result of executing a step, before the checks around it. */
interface StepOutcome {
  readonly args: unknown;
  /** Null for steps without a response. */
  readonly outcome: Outcome | null;
  readonly mismatches: readonly Mismatch[];
  /** The reason why it could not be executed; otherwise null. */
  readonly problem: string | null;
  readonly steps: readonly StepResult[];
}

/** A step with its position and recorder. */
interface Playing {
  readonly step: Step;
  readonly place: string;
  readonly local: Local;
  readonly recorder: Recorder;
  /** The last event before it; 0 if no events are checked. */
  readonly since: number;
}

const NOTHING: Expectations = {};
const NO_OUTCOME: StepOutcome = { args: undefined, outcome: null, mismatches: [], problem: null, steps: [] };

/** Limits nested repetitions, because each step is retained for the report. */
const MOST_STEPS = 200_000;

export class ScenarioRunner {
  readonly #context: ScenarioContext;
  readonly #options: ScenarioRunnerOptions;
  #last: Balances | null = null;
  #played = 0;
  /** The last event before the first step. */
  #began = 0;
  #isEnding = false;

  constructor(context: ScenarioContext, options: ScenarioRunnerOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Marks the end of the setup: earlier events are not the scenario's. */
  async begin(): Promise<void> {
    this.#began = (await this.#context.world.lastEvent()) ?? 0;
  }

  /** Plays steps up to the first that fails; appends their results to `results` as they end. Rejects with CannotPlay. */
  async all(
    steps: readonly Step[],
    prefix = '',
    local: Local = {},
    results: StepResult[] = [],
  ): Promise<StepResult[]> {
    for (const [index, step] of steps.entries()) {
      const { result } = await this.one(step, `${prefix}${index + 1}`, local);
      results.push(result);
      if (result.verdict === 'failed') break;
    }
    return results;
  }

  /** Plays one step; also returns its response and the agents' holdings afterwards. Rejects with CannotPlay. */
  async one(
    step: Step,
    place: string,
    local: Local = {},
  ): Promise<{ result: StepResult; outcome: Outcome | null; after: Balances | null }> {
    const { world } = this.#context;
    const before = (this.#last ??= await world.holdings(this.#context.addresses()));
    const from = performance.now();
    const looks = this.#options.isDetailed || looksAround(step);
    const last = looks ? ((await world.lastEvent()) ?? 0) : 0;
    // A pure `expect` step covers everything since the scenario began.
    const since = step.does.kind === 'expect' ? this.#began : last;
    const playing: Playing = { step, place, local, recorder: new Recorder(), since };
    let outcome = await this.#outcome(playing);
    this.#context.now = new Date(await world.nowMs()).toISOString();
    if (isGood(outcome)) outcome = { ...outcome, mismatches: this.#save(step, outcome.outcome) };
    if (isGood(outcome)) outcome = { ...outcome, mismatches: await this.#unsound() };
    const after = await world.holdings(this.#context.addresses());
    this.#last = after;
    const events = looks ? await world.eventsAfter(last) : [];
    const result: StepResult = {
      ...alone(playing, outcome, performance.now() - from),
      explanation: isGood(outcome) ? null : await this.#explanation(outcome.outcome),
      before,
      after,
      at: this.#context.now,
      entries: events.filter(({ kind }) => kind === 'entry'),
      transactions: events.filter(({ kind }) => kind === 'transaction'),
    };
    // An in-process world never yields to the event loop: pause, so that signals and time limits take effect.
    await setImmediate();
    const isKept = this.#options.isDetailed || !isGood(outcome);
    // Without unneeded details of passed steps, to bound memory.
    const slim = { ...result, exchanges: [], before: null, after: null };
    return { result: isKept ? result : slim, outcome: outcome.outcome, after };
  }

  /** The final checks as a step; null if there is nothing left to check. */
  async end(
    { finally: expectations, finallyLine: line }: Pick<Scenario, 'finally' | 'finallyLine'>,
    place: string,
  ): Promise<StepResult | null> {
    if (expectations === null && this.#options.invariants !== 'end') return null;
    this.#isEnding = true;
    return (await this.one({ ...lookingStep('finally', expectations ?? NOTHING), line }, place)).result;
  }

  async #outcome(playing: Playing): Promise<StepOutcome> {
    const { step, place, local } = playing;
    let args = 'args' in step.does ? step.does.args : undefined;
    try {
      this.#options.onStep?.(step, place);
      this.#played += 1;
      if (this.#played > MOST_STEPS) throw new Error(`a scenario plays at most ${MOST_STEPS} steps`);
      args = resolved(args, this.#context.scope(local));
      return { ...NO_OUTCOME, args, ...(await this.#do(playing, args)) };
    } catch (error) {
      if (error instanceof CannotPlay) throw error;
      return { ...NO_OUTCOME, args, problem: wordsOf(error) };
    }
  }

  /** Executes a step with resolved arguments. */
  async #do(playing: Playing, args: unknown): Promise<Partial<StepOutcome>> {
    const { step, local, recorder, since } = playing;
    const { does } = step;
    switch (does.kind) {
      case 'agent':
      case 'world': {
        const outcome = await perform(does, args, { step, context: this.#context, recorder, local });
        return { outcome, mismatches: await this.#judge(playing, outcome) };
      }
      case 'expect': {
        const expected = this.#resolved(does.expectations, local);
        return { args: expected, mismatches: await check(this.#context, null, expected, since) };
      }
      case 'repeat':
        return this.#repeat(playing, resolved(does.times, this.#context.scope(local)), does.steps);
      case 'parallel':
        return this.#parallel(playing, does.steps);
      case 'wait':
        return this.#wait(playing, does);
    }
  }

  async #judge({ step, local, since }: Playing, outcome: Outcome | null): Promise<Mismatch[]> {
    return check(this.#context, outcome, this.#resolved(step.expect ?? NOTHING, local), since);
  }

  async #repeat(playing: Playing, times: unknown, steps: readonly Step[]): Promise<Partial<StepOutcome>> {
    const { place, local } = playing;
    if (typeof times !== 'number') throw new Error(`times: ${shown(times)} is not a number`);
    if (!Number.isInteger(times) || times < 0) throw new Error(`times: ${times} is not a number of rounds`);
    const results: StepResult[] = [];
    for (let round = 1; round <= times; round += 1) {
      const inner = await this.all(steps, `${place}.${round}.`, { ...local, round });
      results.push(...inner);
      if (inner.some(({ verdict }) => verdict === 'failed')) break;
    }
    return this.#together(playing, { args: { times }, outcome: done({ rounds: times }), steps: results });
  }

  /** Overlapping calls. If the step as a whole has expectations, calls without expectations can be refused. */
  async #parallel(playing: Playing, steps: readonly Step[]): Promise<Partial<StepOutcome>> {
    const { step, place, local, since } = playing;
    await this.#signIn(steps);
    const played = await Promise.all(
      steps.map(async (inner, index) => {
        const isFree = 'verb' in inner.does && step.expect !== undefined && inner.expect === undefined;
        const free: Step = { ...inner, expect: { status: { absent: false } } };
        const recorder = new Recorder();
        const at = { step: isFree ? free : inner, place: `${place}.${index + 1}`, local, recorder, since };
        const from = performance.now();
        const outcome = await this.#outcome(at);
        return { inner, isFree, outcome, result: alone(at, outcome, performance.now() - from) };
      }),
    );
    const unsaved = played.flatMap(({ inner, outcome }) =>
      isGood(outcome) ? this.#save(inner, outcome.outcome) : [],
    );
    if (unsaved.length > 0) return { mismatches: unsaved };
    const outcomes = played.map(({ outcome }) => outcome.outcome).filter((outcome) => outcome !== null);
    const body = {
      succeeded: outcomes.filter(({ isOk }) => isOk).length,
      refused: outcomes.filter(({ isOk }) => !isOk).length,
      codes: outcomes.map(codeOf).filter((code) => code !== null),
      answers: outcomes.map(flattenResponse),
    };
    const whole = await this.#together(playing, {
      outcome: done(body),
      steps: played.map(({ result }) => result),
    });
    if (isGood({ ...NO_OUTCOME, ...whole })) return whole;
    const isUnlike = whole.mismatches !== undefined;
    const explained = played.map(async ({ isFree, outcome: { outcome }, result }): Promise<StepResult> => {
      if (outcome === null || outcome.isOk) return result;
      const explanation = await this.#explanation(outcome);
      // A refusal that only the step as a whole could allow.
      if (isFree && isUnlike) return { ...result, verdict: 'failed', problem: saidOf(outcome), explanation };
      return result.verdict === 'failed' ? { ...result, explanation } : result;
    });
    return { ...whole, steps: await Promise.all(explained) };
  }

  /** Signs agents in first, so that the calls themselves overlap. */
  async #signIn(steps: readonly Step[]): Promise<void> {
    for (const { does } of steps) {
      const actor = does.kind === 'agent' ? this.#context.actors.get(does.agent) : undefined;
      if (actor !== undefined && actor.token === null) await actor.signIn(new Recorder());
    }
  }

  /** Polls until the response is as expected. A frozen clock jumps between attempts. */
  async #wait(
    playing: Playing,
    does: Extract<Step['does'], { kind: 'wait' }>,
  ): Promise<Partial<StepOutcome>> {
    const { place, local, recorder, since } = playing;
    const everyMs = parseDuration(does.every) ?? 1_000;
    const rounds = Math.ceil((parseDuration(does.within) ?? 0) / everyMs);
    for (let round = 0; ; round += 1) {
      const tried = await this.#outcome({ step: does.step, place: `${place}.1`, local, recorder, since });
      const args = { until: does.step.title, rounds: round };
      if (isGood(tried)) {
        const unsaved = this.#save(does.step, tried.outcome);
        const unlike = playing.step.expect === undefined ? [] : await this.#judge(playing, tried.outcome);
        return { ...tried, args, mismatches: [...unsaved, ...unlike] };
      }
      if (round >= rounds || tried.problem !== null) return { ...tried, args };
      await this.#pass(everyMs, does.every);
    }
  }

  async #pass(ms: number, duration: string): Promise<void> {
    const { control } = this.#context.world;
    if (control !== null && (await control.do('time')).mode === 'frozen') {
      await control.do('advance', { body: { by: duration } });
      return;
    }
    await new Promise((resolve) => {
      // Must not keep the process alive after the scenario's time limit.
      setTimeout(resolve, ms).unref();
    });
  }

  async #together(
    playing: Playing,
    nested: Pick<StepOutcome, 'outcome' | 'steps'> & Partial<StepOutcome>,
  ): Promise<Partial<StepOutcome>> {
    const bad = nested.steps.find(({ verdict }) => verdict === 'failed');
    if (bad !== undefined) return { ...nested, problem: `step ${bad.place} (${bad.title}) failed` };
    return { ...nested, mismatches: await this.#judge(playing, nested.outcome) };
  }

  #resolved(expectations: Expectations, local: Local): Expectations {
    return resolved(expectations, this.#context.scope(local)) as Expectations;
  }

  /** Saves the values that a step declares; returns mismatches for missing ones. */
  #save({ save }: Step, outcome: Outcome | null): Mismatch[] {
    if (save === undefined || outcome === null) return [];
    const response = flattenResponse(outcome);
    const missing: Mismatch[] = [];
    if (typeof save === 'string') this.#context.save(save, response);
    else
      for (const [name, path] of Object.entries(save)) {
        const value = valueAt(response, path);
        if (value === undefined)
          missing.push({ path, expected: `a value to save as ${name}`, actual: 'nothing' });
        else this.#context.save(name, value);
      }
    return missing;
  }

  async #unsound(): Promise<Mismatch[]> {
    const { invariants } = this.#options;
    if (invariants === 'off' || (invariants === 'end' && !this.#isEnding)) return [];
    const broken = (await this.#context.world.invariants()) ?? [];
    return broken.map(({ rule, text }) => ({
      path: `invariants.${rule}`,
      expected: 'to hold',
      actual: text,
    }));
  }

  /** Explains a refusal; null without a refusal or explanation. */
  async #explanation(outcome: Outcome | null): Promise<string | null> {
    const { requestId } = (outcome?.body ?? {}) as { requestId?: unknown };
    const { control } = this.#context.world;
    if (control === null || typeof requestId !== 'string') return null;
    return control.do('explain', { id: requestId }).then(
      ({ text }) => text,
      () => null,
    );
  }
}

function isGood({ mismatches, problem }: StepOutcome): boolean {
  return mismatches.length === 0 && problem === null;
}

/** Whether a step expects events, or a nested one without checks of its own does. */
function looksAround({ does, expect }: Step): boolean {
  if (looksAtEvents(expect)) return true;
  if (does.kind === 'expect') return looksAtEvents(does.expectations);
  if (does.kind === 'parallel') return does.steps.some(looksAround);
  return does.kind === 'wait' && looksAround(does.step);
}

/** The result of a step without checks around it. */
function alone({ step, place, recorder }: Playing, outcome: StepOutcome, ms: number): StepResult {
  const { title, note = null, line } = step;
  const { args, mismatches, problem, steps } = outcome;
  const verdict = isGood(outcome) ? 'passed' : 'failed';
  const { exchanges } = recorder;
  const about = { place, title, args, note, line, verdict } as const;
  return { ...about, ...NOTHING_DONE, exchanges, mismatches, problem, steps, ms };
}
