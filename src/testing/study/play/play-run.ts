import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isoOf } from '../../../core/domain/calendar.js';
import type { Entry } from '../../../core/domain/entry.js';
import { LIMITS } from '../../../core/limits.js';
import type { SimulatorOptions } from '../../../runtime/config.js';
import { type Simulator, createSimulator } from '../../../simulator/simulator.js';
import { Random } from '../random.js';
import { fraction, runSeed, seedOf, shuffled } from '../design.js';
import type { MetricName } from '../metric-names.js';
import type { StudyAction, StudyInstant, StudyModule } from '../module.js';
import type { PlannedPoint, PlannedRun, StudyPlan } from '../plan.js';
import { groupsOf } from '../population.js';
import type { StudyFailure, StudyRun } from '../results.js';
import { Actions } from './actions.js';
import type { StudyAgent } from './agent.js';
import { MEASURES } from './measure.js';
import { agentsOf, openAccounts } from './open-accounts.js';
import { type RunSeries, SeriesWriter } from './run-series.js';
import { Tally } from './tally.js';

export interface RunResult extends StudyRun {
  readonly series: RunSeries;
  /** Its state file is in base64. */
  readonly failure: StudyFailure | null;
  /** The journal as Parquet in base64, and events as lines of JSON; null unless the study requests them. */
  readonly entriesFile: string | null;
  readonly eventsFile: string | null;
}

/** Number of checks of the books against the chain per run. */
const PROOFS = 10;
/** Interval between two payments of an income. */
const PAYDAY_MS = 30 * 86_400_000;

/** Options of a run in addition to its plan. */
export interface PlayOptions {
  readonly module: StudyModule;
  readonly onTick?: ((tick: number, sim: Simulator, actions: number) => void | Promise<void>) | undefined;
  /** The last tick that is played; default: all. */
  readonly until?: number;
  /** When aborted, no more ticks are played. */
  readonly signal?: AbortSignal;
}

type Violation = Pick<StudyFailure, 'rule' | 'text'>;

class RunPlayer {
  readonly tally = new Tally();
  readonly series = new SeriesWriter();
  readonly #sim: Simulator;
  readonly #plan: StudyPlan;
  readonly #point: PlannedPoint;
  readonly #module: StudyModule;
  readonly #random: Random;
  readonly #actions: Actions;
  readonly #agents: readonly StudyAgent[];
  readonly #byWallet: ReadonlyMap<string, StudyAgent>;
  readonly #keepsEntries: boolean;
  #entries: Entry[] = [];
  #seen = 0;
  tick = 0;

  constructor(
    sim: Simulator,
    plan: StudyPlan,
    { point, module, seed }: { point: PlannedPoint; module: StudyModule; seed: string },
  ) {
    this.#sim = sim;
    this.#plan = plan;
    this.#point = point;
    this.#module = module;
    this.#random = new Random(seedOf(`${seed}/actions`));
    const { population } = point;
    this.#agents = agentsOf(sim, groupsOf(population, module), { spread: population.spread, seed });
    this.#byWallet = new Map(this.#agents.map((agent) => [agent.wallet, agent]));
    this.#actions = new Actions(sim, this.#byWallet, this.#random);
    this.#keepsEntries = plan.study.metrics.some((name) => name in module.metrics);
  }

  async open(): Promise<void> {
    await openAccounts(this.#sim, this.#agents, this.#actions);
    this.#follow();
    this.tally.measured();
    this.#measure();
  }

  /** Plays the next tick: time passes, then the agents act. Returns the violated invariant, or null. */
  async next(): Promise<Violation | null> {
    const { study, ticks, tickMs } = this.#plan;
    this.tick += 1;
    this.tally.ticks += 1;
    await this.#sim.advance(tickMs);
    this.#follow();
    await this.#payIncomes();
    const { activity } = this.#point.population;
    const instant = this.#instant();
    for (const at of shuffled(this.#agents.length, this.#random)) {
      let count = Math.floor(activity);
      if (fraction(this.#random) < activity - count) count += 1;
      for (; count > 0; count -= 1) await this.#act(this.#agents[at] as StudyAgent, instant);
    }
    if (this.tick % study.output.every === 0 || this.tick === ticks) this.#measure();
    const every = Math.max(1, Math.ceil(ticks / PROOFS));
    if (this.tick % every !== 0 && this.tick !== ticks) return null;
    return (await this.#sim.invariants())[0] ?? null;
  }

  async #act(agent: StudyAgent, instant: StudyInstant): Promise<void> {
    const action = this.#chosen(agent, instant);
    if (action === null) return;
    const performed = this.#actions.perform(agent, action);
    if (performed === null) return;
    const outcome = performed.outcome instanceof Promise ? await performed.outcome : performed.outcome;
    if (outcome === null) return;
    this.tally.acted(agent, { action: action.do, call: performed.call }, outcome);
    this.#follow();
  }

  #chosen(agent: StudyAgent, instant: StudyInstant): StudyAction | null {
    const { act, actions } = agent.group;
    if (act !== undefined) return act(agent, instant);
    return actions.length === 0 ? null : { do: this.#random.weighed(actions).name };
  }

  /** Pays incomes from outside to the collection addresses. Each agent has its own paydays; a long tick has several. */
  async #payIncomes(): Promise<void> {
    for (const [at, agent] of this.#agents.entries()) {
      const paydaysUntil = (tick: number) => Math.floor(((tick - at) * this.#plan.tickMs) / PAYDAY_MS);
      const paydays = paydaysUntil(this.tick) - paydaysUntil(this.tick - 1);
      const amount = agent.group.income * agent.factor * paydays;
      if (amount > 0) await this.#actions.payIncome(agent, amount);
    }
    this.#follow();
  }

  #follow(): void {
    const { bank } = this.#sim;
    const { state } = bank.books;
    while (this.#seen < state.seq) {
      this.#seen += 1;
      const entry = bank.books.entryAt(this.#seen);
      this.tally.entry(entry, state, (wallet) => this.#band(wallet));
      if (this.#keepsEntries) this.#entries.push(entry);
    }
  }

  #band(wallet: string): string {
    const { bank } = this.#sim;
    const agent = bank.books.state.agents.get(wallet);
    return agent === undefined ? '' : (bank.credit.scoreNow(agent, bank.env())?.score.pdBand ?? '');
  }

  #measure(): void {
    const { bank } = this.#sim;
    const measured = {
      state: bank.books.state,
      env: bank.env(),
      tally: this.tally,
      agentOf: (wallet: string) => this.#byWallet.get(wallet),
    };
    for (const name of this.#plan.study.metrics) {
      const own = this.#module.metrics[name];
      const found =
        own === undefined
          ? MEASURES[name as MetricName](measured)
          : own.measure(this.#instant(), this.#entries);
      const values = typeof found === 'number' ? { '': found } : found;
      this.series.add(this.tick, name, values, this.#plan.metrics[name]?.hasGaps);
    }
    this.tally.measured();
    this.#entries = [];
  }

  #instant(): StudyInstant {
    const { oracle, bank } = this.#sim;
    return {
      tick: this.tick,
      nowMs: bank.env().nowMs,
      agents: this.#agents,
      price: (token) => oracle.price(token),
      apy: (token) => oracle.apy(token),
      random: () => fraction(this.#random),
    };
  }
}

/** Plays a run to its end, to the tick `until` or to its failure. The caller closes the world. */
async function playIn(
  sim: Simulator,
  plan: StudyPlan,
  { point: number, repetition }: PlannedRun,
  { module, onTick, until = plan.ticks, signal }: PlayOptions,
) {
  const point = plan.points[number - 1] as PlannedPoint;
  const player = new RunPlayer(sim, plan, { point, module, seed: runSeed(plan.study.seed, repetition) });
  const isOver = () => player.tick >= until || signal?.aborted === true;
  try {
    await player.open();
    await onTick?.(0, sim, 0);
    while (!isOver()) {
      const broken = await player.next();
      if (broken !== null) return { player, failure: await failureOf(sim, player.tick, broken) };
      // Otherwise signals and messages would wait for the end of the run.
      await setImmediate();
      await onTick?.(player.tick, sim, player.tally.totalActions);
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { player, failure: await failureOf(sim, player.tick, { rule: 'error', text }) };
  }
  return { player, failure: null };
}

function worldOf(plan: StudyPlan, { point, repetition }: PlannedRun): SimulatorOptions {
  return { ...(plan.points[point - 1] as PlannedPoint).world, seed: runSeed(plan.study.seed, repetition) };
}

/** The world of a run after its last tick or at its failure, with an event log of the same length as in `sim start`. */
export async function worldOfRun(
  plan: StudyPlan,
  planned: PlannedRun,
  { history, ...options }: PlayOptions & { readonly history: number },
) {
  const world = worldOf(plan, planned);
  const limits = { ...world.limits, eventLogBytes: LIMITS.eventLogBytes.standard };
  const sim = await createSimulator({ ...world, limits, history });
  try {
    const { player, failure } = await playIn(sim, plan, planned, options);
    return { sim, tick: player.tick, failure };
  } catch (error) {
    await sim.close();
    throw error;
  }
}

/** Plays a run of a plan. Equal plans, modules and numbers give equal results. */
export async function playRun(
  plan: StudyPlan,
  planned: PlannedRun,
  options: PlayOptions,
): Promise<RunResult> {
  const { study } = plan;
  const sim = await createSimulator(worldOf(plan, planned));
  // A file, because the log in memory drops old events.
  const folder = study.output.events ? mkdtempSync(join(tmpdir(), 'study-')) : null;
  const eventLog = folder === null ? null : join(folder, 'events.jsonl');
  if (eventLog !== null) sim.logTo(eventLog);
  try {
    const { player, failure } = await playIn(sim, plan, planned, options);
    const { totalActions, totalRefused, totalOnChain } = player.tally;
    const parquet = study.output.entries ? await sim.books.export('parquet') : null;
    const { state } = sim.bank.books;
    await sim.close();
    return {
      ...planned,
      seed: runSeed(study.seed, planned.repetition),
      ticks: player.tick,
      actions: totalActions,
      refused: totalRefused,
      onChain: totalOnChain,
      entries: state.seq,
      limits: player.tally.limits,
      series: player.series.series(),
      failure,
      entriesFile: parquet === null ? null : Buffer.from(parquet).toString('base64'),
      eventsFile: eventLog === null ? null : readFileSync(eventLog, 'utf8'),
    };
  } finally {
    await sim.close();
    if (folder !== null) rmSync(folder, { recursive: true });
  }
}

async function failureOf(sim: Simulator, tick: number, { rule, text }: Violation): Promise<StudyFailure> {
  const bytes = await sim.exportState().catch(() => null);
  const state = bytes === null ? null : Buffer.from(bytes).toString('base64');
  return { tick, at: isoOf(sim.now().getTime()), rule, text, state };
}
