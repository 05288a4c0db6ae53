import type { EndpointId } from '../../../contract/endpoints.js';
import { callOf } from '../commands/play-call.js';
import type { Answer, ApiCall, ServiceModel, Trouble } from '../model/types.js';
import { ModelRunner } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';
import type { CheckSuite } from './replay.js';

const CALM: Trouble = { oracleIsOut: false, chainIsOut: false };

/** One of the calls of an overlap, in the notation of a step. */
export interface OverlapCall {
  readonly do: EndpointId;
  readonly by: string;
  readonly with: Args;
}

/** A value that a step produced for later ones. */
export interface Kept {
  /** Such as `s3.signature`. */
  readonly name: string;
  /** Index of the step's call that returned it; null for a transaction. */
  readonly call: number | null;
  /** Its path in the answer's body. */
  readonly path: string;
}

/** Permitted answers of overlapping calls. */
export interface Overlapped {
  /** The order of calls that explains their answers, or the first when none does. */
  readonly order: readonly number[];
  /** For every order of the calls: the code of each call, in the step's order; null for success. */
  readonly allowed: readonly (readonly (string | null)[])[];
}

/** Result of a step in a dry run. */
export interface DryRunStep {
  readonly step: Step;
  /** The model's outcome: `ok`, a code, `lost`, `refused`, `failed`; null when the step could not be played. */
  readonly outcome: string | null;
  /** Whether the world deviated from the model. */
  readonly deviates: boolean;
  /** References defined before it, with their values. */
  readonly before: ReadonlyMap<string, string>;
  /** The name of the token that each agent used before it (`s1.token`), and whether it was still valid. */
  readonly tokens: ReadonlyMap<string, { readonly name: string; readonly isGood: boolean }>;
  readonly kept: readonly Kept[];
  readonly overlapped: Overlapped | null;
  /** The last answer received; null for none. */
  readonly answer: Answer | null;
  /** World time when it ended. */
  readonly nowMs: number;
}

/** The path of a string in JSON; null when it is absent. */
function pathTo(value: unknown, wanted: string): string | null {
  if (value === wanted) return '';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const inner = pathTo(member, wanted);
    if (inner !== null) return inner === '' ? name : `${name}.${inner}`;
  }
  return null;
}

interface Heard {
  readonly call: string;
  answer: Answer | null;
}

/** Wraps a world to record calls and answers, in the order in which the calls began. */
function listening(world: FuzzWorld, heard: Heard[]): FuzzWorld {
  const call: FuzzWorld['call'] = async (asked, mishap) => {
    const one: Heard = { call: JSON.stringify(asked), answer: null };
    heard.push(one);
    const answer = await world.call(asked, mishap);
    if (answer !== null) one.answer = JSON.parse(JSON.stringify(answer)) as Answer;
    return answer;
  };
  return new Proxy(world, {
    get: (target, name) => {
      if (name === 'call') return call;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The answers to these calls, in their order; equal calls are matched in the order in which they began. */
function answersTo(calls: readonly ApiCall[], heard: readonly Heard[]): (Answer | null)[] {
  const left = [...heard];
  return calls.map((call) => {
    const text = JSON.stringify(call);
    const at = left.findIndex((one) => one.call === text);
    return at < 0 ? null : (left.splice(at, 1)[0]?.answer ?? null);
  });
}

function tokensOf(runner: ModelRunner): DryRunStep['tokens'] {
  const names = new Map([...runner.memory.values].map(([name, value]) => [value, name]));
  const tokens = new Map<string, { name: string; isGood: boolean }>();
  for (const [agent, { text }] of runner.memory.tokens) {
    const name = names.get(text);
    if (name !== undefined) tokens.set(agent, { name, isGood: runner.isSignedIn(agent) });
  }
  return tokens;
}

function keptBy(
  step: Step,
  before: ReadonlyMap<string, string>,
  { runner, answers }: { runner: ModelRunner; answers: readonly (Answer | null)[] },
): Kept[] {
  const kept: Kept[] = [];
  for (const [name, value] of runner.memory.values) {
    if (!name.startsWith(`s${step.id}.`) || before.get(name) === value) continue;
    // If several calls return the value, the last one counts.
    const paths = answers.map((answer) => pathTo(answer?.body, value));
    const call = paths.findLastIndex((path) => path !== null);
    kept.push(
      call < 0
        ? { name, call: null, path: name.slice(name.lastIndexOf('.') + 1) }
        : { name, call, path: paths[call] ?? '' },
    );
  }
  return kept;
}

/** All permutations of `count` items. */
function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** The expected codes of calls made in an order, and whether these answers match. */
function inOrder(
  model: ServiceModel,
  order: readonly number[],
  { calls, answers }: { calls: readonly ApiCall[]; answers: readonly (Answer | null)[] },
): { codes: (string | null)[]; fits: boolean } {
  const codes: (string | null)[] = calls.map(() => null);
  let fits = true;
  for (const at of order) {
    const expectation = model.expect(calls[at] as ApiCall, CALM);
    codes[at] = expectation.code;
    if (expectation.judge(answers[at] ?? null) !== null) fits = false;
  }
  return { codes, fits };
}

function overlappedOf(
  calls: readonly ApiCall[],
  model: ServiceModel,
  answers: readonly (Answer | null)[],
): Overlapped {
  const played = ordersOf(calls.length).map((order) => ({
    order,
    ...inOrder(model.copy(), order, { calls, answers }),
  }));
  const texts = new Set(played.map(({ codes }) => JSON.stringify(codes)));
  return {
    order: (played.find(({ fits }) => fits) ?? played[0])?.order ?? [],
    allowed: [...texts].map((text) => JSON.parse(text) as (string | null)[]),
  };
}

/** The calls of an overlap; null for any other step. */
function overlapping(step: Step, runner: ModelRunner): ApiCall[] | null {
  if (step.do !== 'overlap') return null;
  const { calls } = step.with as unknown as { calls: readonly OverlapCall[] };
  return calls.map((each) => callOf(each.do, each, runner));
}

/** Plays one step and reports its result. */
async function dryRun(
  step: Step,
  { runner, heard, checkSuite }: { runner: ModelRunner; heard: Heard[]; checkSuite: CheckSuite },
): Promise<DryRunStep> {
  heard.length = 0;
  const before = new Map(runner.memory.values);
  const tokens = tokensOf(runner);
  const model = runner.model.copy();
  const calls = overlapping(step, runner);
  const command = checkSuite.commands.find(({ name }) => name === step.do);
  // A step that can no longer be played gets no outcome.
  const played = await command?.play(step, runner).catch(() => undefined);
  const answers = calls === null ? heard.map(({ answer }) => answer) : answersTo(calls, heard);
  return {
    step,
    outcome: played?.outcome ?? null,
    deviates: played !== undefined && played.deviation !== null,
    before,
    tokens,
    kept: keptBy(step, before, { runner, answers }),
    overlapped: calls === null ? null : overlappedOf(calls, model, answers),
    answer: answers.findLast((each) => each !== null) ?? null,
    nowMs: runner.world.nowMs(),
  };
}

/** Replays steps in a fresh world, and returns for each the model's outcome and the values it produced. */
export async function dryRunStep(
  steps: readonly Step[],
  at: { target: FuzzTarget; world: WorldOptions; agents: number; checkSuite: CheckSuite },
): Promise<{ readonly steps: readonly DryRunStep[]; readonly runner: ModelRunner }> {
  const { target, world, agents, checkSuite } = at;
  const heard: Heard[] = [];
  const made = await target.open(world);
  try {
    const runner = new ModelRunner(listening(made, heard), checkSuite.makeModel(made.modelConfig), agents);
    const told: DryRunStep[] = [];
    for (const step of steps) told.push(await dryRun(step, { runner, heard, checkSuite }));
    return { steps: told, runner };
  } finally {
    await made.close();
  }
}
