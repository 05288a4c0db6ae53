import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { mapTexts } from '../../../core/json.js';
import { IN_PROCESS_ORIGIN } from '../../../core/origins.js';
import { TOKEN } from '../../../core/token-text.js';
import { lineInFile } from '../file/typescript.js';
import type { ScenarioResult, StepResult, Verdict } from '../results.js';
import type { Scenario, Step } from '../scenario.js';
import { CannotPlay, UnusableWorld, type World } from '../target.js';
import { type PlayOptions, unplayed } from './play-options.js';
import { missingCapability } from './perform.js';
import { openAgents } from './opening.js';
import { ScenarioRunner, type ScenarioRunnerOptions } from './scenario-runner.js';
import { wordsOf } from './recorder.js';
import { ScriptRunner } from './script-runner.js';
import { ScenarioContext } from './scenario-context.js';

/** The result of a scenario, or the reason why it could not be played; without `property` for a scripted scenario. */
type Played = Pick<ScenarioResult, 'verdict' | 'reason' | 'steps'> &
  Partial<Pick<ScenarioResult, 'property' | 'inspector' | 'seed'>>;

/** The host of worlds in this process, which `fetch` cannot reach. */
const IN_PROCESS_HOST = new URL(IN_PROCESS_ORIGIN).hostname;

function verdictOf(steps: readonly StepResult[]): Verdict {
  return steps.some(({ verdict }) => verdict === 'failed') ? 'failed' : 'passed';
}

/** Results are appended to `steps` as steps end. */
async function playIn(
  world: World,
  scenario: Scenario,
  {
    steps,
    onStepEnd,
    ...options
  }: Omit<ScenarioRunnerOptions, 'invariants'> & {
    readonly steps: StepResult[];
    readonly onStepEnd: (place: string) => void;
  },
): Promise<Played> {
  const context = await ScenarioContext.in(world);
  const { invariants, play } = scenario;
  const runner = new ScenarioRunner(context, { invariants, ...options });
  const opening = await openAgents(Object.entries(scenario.agents), context, runner);
  if (verdictOf(opening) === 'failed') {
    const reason = 'the initial balances of the agents could not be set up';
    return { verdict: 'failed', reason, steps: opening };
  }
  await runner.begin();
  if (play.kind === 'script') {
    const script = new ScriptRunner(context, runner, { steps, path: play.path, onStepEnd });
    try {
      await script.run(play.run);
    } catch (error) {
      if (error instanceof CannotPlay) throw error;
      const line = error instanceof Error ? lineInFile(error.stack, play.path) : null;
      const where = line === null ? '' : ` (line ${line})`;
      const words = wordsOf(error);
      const isUnreachable = error instanceof TypeError && words.includes(IN_PROCESS_HOST);
      const hint = isUnreachable ? ': this world has no address; run with --target http' : '';
      return { verdict: 'failed', reason: `the script threw: ${words}${hint}${where}`, steps };
    }
    if (steps.length === 0)
      return { verdict: 'failed', reason: 'the script played no step; does it await every call?', steps };
  } else if (play.kind === 'steps') await runner.all(play.steps, '', {}, steps);
  else throw new Error('a property is played in separate worlds');
  if (verdictOf(steps) === 'passed') {
    const last = await runner.end(scenario, 'end');
    if (last !== null) steps.push(last);
  }
  return { verdict: verdictOf(steps), reason: null, steps };
}

/** Real milliseconds for the step that an interrupt meets. Less than until a CI server sends a second signal. */
const GRACE_MS = 500;

/** Rejects if a promise takes too long, or is not done soon after `signal` is aborted; the message says how far it was. Its work is not cancelled. */
async function within<T>(
  work: Promise<T>,
  { timeoutMs: ms, signal }: Pick<PlayOptions, 'timeoutMs' | 'signal'>,
  where: () => string,
): Promise<T> {
  const settled = new AbortController();
  const until = { signal: settled.signal };
  const late = async () => {
    await pause(ms, null, until);
    throw new Error(`not finished within ${ms / 1_000} s${where()}; increase the limit with --timeout`);
  };
  const interrupted = async () => {
    if (signal?.aborted === false) await once(signal, 'abort', until);
    await pause(GRACE_MS, null, until);
    throw new CannotPlay(`interrupted${where()}`);
  };
  try {
    return await Promise.race([work, late(), ...(signal === undefined ? [] : [interrupted()])]);
  } finally {
    settled.abort();
  }
}

function throwIfStopped(signal: AbortSignal | undefined, where = ''): void {
  if (signal?.aborted === true) throw new CannotPlay(`interrupted${where}`);
}

async function playedAt(scenario: Scenario, options: PlayOptions): Promise<Played> {
  const { target, engine, seed, isDetailed, signal } = options;
  const lack = missingCapability(scenario, target);
  if (lack !== null) return { verdict: 'skipped', reason: lack, steps: [] };
  let world: World | null = null;
  let isOver = false;
  let inspector: string | null = null;
  let where = '';
  const steps: StepResult[] = [];
  try {
    const { play } = scenario;
    if (play.kind === 'property') {
      const { playProperty } = await import('../property/play-property.js');
      const more = { check: play.check, options, isOver: () => isOver || signal?.aborted === true };
      const onRun = (run: number) => {
        where = `, in run ${run} of ${play.property.runs}`;
      };
      const playing = playProperty(scenario, play.property, { ...more, onRun });
      const played = await within(playing, options, () => where);
      throwIfStopped(signal, where);
      return played;
    }
    // A state brings its own seed.
    const base = seed === null || scenario.world.state !== undefined ? { engine } : { engine, seed };
    world = await target.open({ ...base, ...scenario.world });
    const onStep = ({ title, line }: Step, place: string) => {
      // Work past the time limit ends at its next step.
      if (isOver) throw new CannotPlay('the time limit was exceeded');
      throwIfStopped(signal, where);
      where = `, at step ${place} (${line === null ? title : `${title}, line ${line}`})`;
    };
    const onStepEnd = (place: string) => {
      where = where.replace(`, at step ${place} (`, `, after step ${place} (`);
    };
    const playing = playIn(world, scenario, { isDetailed, steps, onStep, onStepEnd });
    const played = await within(playing, options, () => where);
    if (played.verdict === 'failed') inspector = (await options.keep?.(world)) ?? null;
    return { ...played, inspector, ...(world.seed === null ? {} : { seed: world.seed }) };
  } catch (error) {
    if (error instanceof CannotPlay) return { verdict: 'skipped', reason: error.message, steps: [] };
    const reason = error instanceof UnusableWorld ? `world: ${error.message}` : wordsOf(error);
    // A copy: work past the time limit may continue for a while.
    return { verdict: 'failed', reason, steps: steps.filter((step) => step !== undefined) };
  } finally {
    isOver = true;
    if (inspector === null) await world?.close();
  }
}

/** Hides tokens and secret keys: reports are uploaded, and a token of a deployed service opens a real account. */
function hidden(text: string, member: string): string {
  if (member === 'secretKey') return '<secret>';
  const rest = text.replace(TOKEN, '<token>');
  // A deployed service may have tokens of another form.
  return /^(?:token|authorization)$/i.test(member)
    ? rest.replace(/(?<=^|^Bearer +)\S{20,}$/i, '<token>')
    : rest;
}

/** Plays one scenario in a fresh world. Never rejects. The result contains no secrets. */
export async function playScenario(scenario: Scenario, options: PlayOptions): Promise<ScenarioResult> {
  const from = performance.now();
  const played = mapTexts(await playedAt(scenario, options), hidden) as Played;
  const { target, engine, ...about } = unplayed(scenario, options);
  const result = { ...about, ...played, target, engine, ms: performance.now() - from };
  return { ...result, rerun: options.rerun(scenario, result.seed) };
}
