import type { ConvertedRecording } from '../../api/control/world.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { defined, isObject } from '../../core/json.js';
import type { Recording, RecordingHeader } from '../schema.js';
import { agentsIn, scenarioText } from '../../testing/scenario/file/write.js';
import { UnreadableRecording } from '../replay/read-recording.js';
import { worldAtStart } from '../replay/replay.js';
import { AgentNames, type Beginning } from './agent-names.js';
import { type StepDraft, advanceTo, draftsOf } from './drafts.js';
import { expected } from './expectations.js';
import { needed, withReferences } from './references.js';

/** Joins a deposit and the transaction right before it into one step, as people write it. */
function joined(drafts: readonly StepDraft[]): StepDraft[] {
  const made: StepDraft[] = [];
  for (const draft of drafts) {
    const sent = made.at(-1);
    const isPair =
      sent?.title.endsWith('.send') === true && draft.title === sent.title.replace(/send$/, 'deposit');
    const args = draft.args as Readonly<Record<string, unknown>>;
    const { to, amount, token } = (sent?.args ?? {}) as Readonly<Record<string, unknown>>;
    const isOfIt =
      isPair &&
      sent.saves.size === 1 &&
      args['tx_signature'] === `\${${[...sent.saves.keys()][0]}}` &&
      to === `\${treasury}` &&
      amount === args['amount'] &&
      token === args['token'];
    if (!isOfIt) made.push(draft);
    else made.splice(-1, 1, { ...draft, args: { amount, token }, number: sent.number });
  }
  return made;
}

/** Inserts steps that advance the clock to where it was while it ran, since accrued amounts depend on the instant. */
function withTime(drafts: readonly StepDraft[], { time }: RecordingHeader): StepDraft[] {
  if (time === 'frozen') return [...drafts];
  let lastMs = drafts[0]?.atMs ?? 0;
  return drafts.flatMap((draft) => {
    const { atMs, number } = draft;
    if (atMs === lastMs) return [draft];
    lastMs = atMs;
    return [{ number, atMs, saves: new Map(), ...advanceTo(atMs) }, draft];
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

/** Converts wallets that existed before the recording to agents of the scenario. */
async function walletsBefore(recording: Recording): Promise<Map<string, Beginning>> {
  const { header, lines } = recording;
  if (header.state === null) return new Map();
  const sim = await worldAtStart(recording, { engine: header.engine });
  try {
    const found = new Map<string, Beginning>([
      ...sim.wallets.map(({ address }, wallet) => [address, { wallet }] as const),
      ...sim.funding.made().map(({ address: wallet }) => [wallet, { wallet }] as const),
    ]);
    for (const { line } of lines) {
      if (line.kind !== 'wallet' || found.has(line.address)) continue;
      const { lamports, usdcBase } = sim.chain.balancesByCopy(line.address);
      const isKnown = lamports + usdcBase > 0n || sim.books.of(line.address) !== null;
      if (isKnown) found.set(line.address, { wallet: line.address });
    }
    return found;
  } finally {
    await sim.close();
  }
}

const DATA_URL = 'data:application/octet-stream;base64,';

function worldOf({ seed, startTime, options, state }: RecordingHeader, stateFile?: string): object {
  if (state !== null) return { state: stateFile ?? DATA_URL + state };
  const { variants = {}, oracle = {}, withdrawalDelay, confirmationSlots } = options;
  const defaults = DEFAULT_VARIANTS as unknown as Readonly<Record<string, unknown>>;
  const others = Object.entries(variants).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  const { usdcApy: usdc, solApy: sol, usdcUsd, solUsd, maxAge } = oracle;
  return {
    seed,
    startTime,
    ...(others.length === 0 ? {} : { variants: Object.fromEntries(others) }),
    oracle: { usdc, sol, usdcUsd, solUsd, maxAge },
    ...defined({
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
  const { header } = recording;
  const agentNames = new AgentNames(recording, await walletsBefore(recording));
  const { drafts: found, leftOut } = draftsOf(recording, agentNames);
  // Faults count every call that they examine, so reads must stay.
  const isCounted = found.some(({ args }) => (args as { do?: unknown } | null)?.do === 'addFault');
  const kept = needed(found, agentNames, options.all || isCounted);
  const referring = withReferences(kept, agentNames);
  const drafts = withTime(joined(referring.drafts), header);
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
