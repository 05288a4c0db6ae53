import type { ConvertedRecording } from '../../api/control/world.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { isoOf, parseInstant } from '../../core/domain/calendar.js';
import { Amount } from '../../core/domain/money.js';
import { defined, isObject, valueAt } from '../../core/json.js';
import type { Recording, RecordingHeader } from '../schema.js';
import { agentsIn, scenarioText } from '../../testing/scenario/file/write.js';
import { referencesIn } from '../../testing/scenario/references.js';
import type { FeedPoint } from '../../world/feed.js';
import { type SeriesColumn, digitsOf, parseSeriesCsv } from '../../world/series-csv.js';
import { UnreadableRecording } from '../replay/read-recording.js';
import { worldAtStart } from '../replay/replay.js';
import { AgentNames, type Beginning } from './agent-names.js';
import { type StepDraft, advanceTo, draftsOf } from './drafts.js';
import { expected } from './expectations.js';
import { needed, withReferences } from './references.js';

/** Joins a deposit and the transaction right before it into one step, as people write it. */
function joined(drafts: readonly StepDraft[]): StepDraft[] {
  const made: StepDraft[] = [];
  const used = drafts.flatMap(({ args, key }) => referencesIn([args, key]));
  for (const draft of drafts) {
    const sent = made.at(-1);
    const isPair =
      sent?.title.endsWith('.send') === true && draft.title === sent.title.replace(/send$/, 'deposit');
    const args = draft.args as Readonly<Record<string, unknown>>;
    const { to, amount, token } = (sent?.args ?? {}) as Readonly<Record<string, unknown>>;
    const [signature = ''] = sent?.saves.keys() ?? [];
    const isOfIt =
      isPair &&
      sent.saves.size === 1 &&
      args['tx_signature'] === `\${${signature}}` &&
      used.filter((name) => name === signature).length === 1 &&
      to === `\${treasury}` &&
      amount === args['amount'] &&
      token === args['token'];
    if (!isOfIt) made.push(draft);
    else made.splice(-1, 1, { ...draft, args: { amount, token }, number: sent.number });
  }
  return made;
}

/** Inserts steps that advance the clock as far as it ran by itself, since accrued amounts depend on the instant. */
function withTime(drafts: readonly StepDraft[], startMs: number): StepDraft[] {
  let nowMs = startMs;
  return drafts.flatMap((draft) => {
    const { atMs, number, args, told } = draft;
    // Of calls that overlapped, one that arrived earlier can have taken effect later.
    const isLater = atMs > nowMs;
    // Only commands that set or advance the clock, or revert the world, say where it stands after them.
    const after = told === undefined ? valueAt(args, 'to') : valueAt(told?.body, 'now');
    nowMs = parseInstant(String(after)) ?? Math.max(nowMs, atMs);
    return isLater ? [{ number, atMs, saves: new Map(), ...advanceTo(atMs) }, draft] : [draft];
  });
}

function written(drafts: readonly StepDraft[]) {
  return drafts.map((draft) => {
    const { title, args, key, saves } = draft;
    const isBare = args === undefined || (isObject(args) && Object.keys(args).length === 0);
    const save = saves.size === 0 ? undefined : Object.fromEntries(saves);
    return { [title]: isBare ? null : args, ...defined({ key, expect: expected(draft), save }) };
  });
}

/** The world at the start of a recording: its instant, its wallets as agents of the scenario, and whether it has faults. */
async function beginningOf(recording: Recording) {
  const { header, lines } = recording;
  const wallets = new Map<string, Beginning>();
  if (header.state === null) return { nowMs: Date.parse(header.startTime), wallets, hasFaults: false };
  const sim = await worldAtStart(recording, { engine: header.engine }, { wall: () => 0 });
  try {
    for (const [wallet, { address }] of sim.wallets.entries()) wallets.set(address, { wallet });
    for (const { address: wallet } of sim.funding.made()) wallets.set(wallet, { wallet });
    for (const { line } of lines) {
      if (line.kind !== 'wallet' || wallets.has(line.address)) continue;
      const { lamports, usdcBase } = sim.chain.balancesByCopy(line.address);
      const isKnown = lamports + usdcBase > 0n || sim.books.of(line.address) !== null;
      if (isKnown) wallets.set(line.address, { wallet: line.address });
    }
    return { nowMs: sim.now().getTime(), wallets, hasFaults: sim.faults.list().length > 0 };
  } finally {
    await sim.close();
  }
}

const SOURCES = { usdc_apy: 'usdc', sol_apy: 'sol', usdc_usd: 'usdcUsd', sol_usd: 'solUsd' } as const;

/** The columns of a series file as sources, since a scenario cannot contain the file. Throws UnreadableRecording. */
function seriesIn(csv: string): object {
  let columns: [SeriesColumn, FeedPoint[]][];
  try {
    columns = Object.entries(parseSeriesCsv(csv)) as typeof columns;
  } catch (error) {
    throw new UnreadableRecording(`oracle.csv: ${(error as Error).message}`);
  }
  const sourceOf = (column: SeriesColumn, points: readonly FeedPoint[]) => ({
    series: points.map(({ atMs, value }) => ({
      at: isoOf(atMs),
      value: new Amount(value, digitsOf(column)).toNumber(),
    })),
  });
  return Object.fromEntries(columns.map(([column, points]) => [SOURCES[column], sourceOf(column, points)]));
}

const DATA_URL = 'data:application/octet-stream;base64,';

function worldOf({ seed, startTime, options, state }: RecordingHeader, stateFile?: string): object {
  if (state !== null) return { state: stateFile ?? DATA_URL + state };
  const { variants = {}, oracle = {}, limits, withdrawalDelay, confirmationSlots } = options;
  const defaults = DEFAULT_VARIANTS as unknown as Readonly<Record<string, unknown>>;
  const others = Object.entries(variants).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  const { usdcApy: usdc, solApy: sol, usdcUsd, solUsd, maxAge, csv } = oracle;
  return {
    seed,
    startTime,
    ...(others.length === 0 ? {} : { variants: Object.fromEntries(others) }),
    oracle: { usdc, sol, usdcUsd, solUsd, maxAge, ...(typeof csv === 'string' ? seriesIn(csv) : {}) },
    ...defined({
      limits,
      withdrawalDelay,
      confirmationSlots:
        confirmationSlots?.some((slots) => slots > 0) === true ? confirmationSlots : undefined,
    }),
  };
}

/**
 * Converts a recording to a scenario that expects the recorded responses, except for values that differ when agents have other addresses.
 * Throws UnreadableRecording when no step results.
 */
export async function toScenario(
  recording: Recording,
  options: {
    readonly name: string;
    readonly all: boolean;
    /** The file in which to save the state; by default the scenario contains it. */
    readonly stateFile?: string;
  },
): Promise<ConvertedRecording> {
  const { header, lines } = recording;
  const { nowMs, wallets, hasFaults } = await beginningOf(recording);
  const agentNames = new AgentNames(recording, wallets);
  // Faults count every call that they examine, so that all must stay.
  const areCallsCounted =
    hasFaults || lines.some(({ line }) => line.kind === 'control' && line.command === 'addFault');
  const { drafts: found, leftOut } = draftsOf(recording, agentNames, areCallsCounted);
  const kept = areCallsCounted ? found : needed(found, agentNames, options.all);
  const referring = withReferences(kept, agentNames);
  const drafts = withTime(joined(referring.drafts), nowMs);
  if (drafts.length === 0)
    throw new UnreadableRecording('the recording has no input that a scenario can contain');
  const steps = written(drafts);
  const scenario = scenarioText({
    name: options.name,
    description: `Made from a recording of ${header.startTime}.`,
    world: worldOf(header, options.stateFile),
    agents: agentsIn(steps, agentNames.agents),
    steps,
  });
  return {
    scenario,
    steps: drafts.length,
    leftOut: [...leftOut, ...referring.leftOut].toSorted((a, b) => a.number - b.number),
  };
}
