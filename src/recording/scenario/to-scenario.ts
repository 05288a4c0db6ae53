import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import type { InputLine, Recording, RecordingHeader } from '../schema.js';
import { agentsIn, scenarioText } from '../../testing/scenario/file/write.js';
import { UnreadableRecording } from '../replay/read-recording.js';
import { callDraft } from './call-drafts.js';
import { worldAtStart } from '../replay/replay.js';
import { AgentNames, type Beginning } from './agent-names.js';
import type { LeftOut, LineAction, StepDraft } from './step-draft.js';
import { expected } from './expectations.js';
import { needed, withReferences } from './references.js';
import { advanceTo, airdropDraft, clockDraft, controlDraft, sendDraft } from './world-drafts.js';

/** A scenario made from a recording, and the lines left out. */
export interface MadeScenario {
  readonly text: string;
  /** The content of the state file that the scenario names, in base64; null for none. */
  readonly state: string | null;
  readonly steps: number;
  readonly leftOut: readonly LeftOut[];
}

function actionOf(line: InputLine, agentNames: AgentNames): LineAction | string {
  switch (line.kind) {
    case 'call':
      return callDraft(line, agentNames);
    case 'control':
      return controlDraft(line);
    case 'clock':
      return clockDraft(line);
    case 'send':
      return sendDraft(line, agentNames);
    case 'rpc':
      if (line.method === 'requestAirdrop') return airdropDraft(line);
      return line.method === 'sendTransaction' ? sendDraft(line, agentNames) : 'it only reads from the chain';
  }
}

function draftsOf({ lines }: Recording, agentNames: AgentNames) {
  const drafts: StepDraft[] = [];
  const leftOut: LeftOut[] = [];
  for (const { number, line } of lines) {
    if (line.kind === 'wallet' || line.kind === 'end') continue;
    const action = actionOf(line, agentNames);
    if (typeof action === 'string') leftOut.push({ number, why: action });
    else drafts.push({ number, atMs: line.at, saves: new Map(), ...action });
  }
  return { drafts, leftOut };
}

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
    const expect = expected(draft);
    const isBare =
      args === undefined || (typeof args === 'object' && Object.keys(args as object).length === 0);
    return {
      [title]: isBare ? null : args,
      ...(key === undefined ? {} : { key }),
      ...(expect === null ? {} : { expect }),
      ...(saves.size === 0 ? {} : { save: Object.fromEntries(saves) }),
    };
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
  const isDeep = confirmationSlots?.some((slots) => slots > 0) === true;
  return {
    seed,
    startTime,
    ...(others.length === 0 ? {} : { variants: Object.fromEntries(others) }),
    oracle: { usdc, sol, usdcUsd, solUsd, maxAge },
    ...(withdrawalDelay === undefined ? {} : { withdrawalDelay }),
    ...(isDeep ? { confirmationSlots } : {}),
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
): Promise<MadeScenario> {
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
  const text = scenarioText({
    name: options.name,
    description: `Made from a recording of ${header.startTime}.`,
    world: worldOf(header, options.stateFile),
    agents: agentsIn(steps, agentNames.agents),
    steps,
  });
  return {
    text,
    state: options.stateFile === undefined ? null : header.state,
    steps: drafts.length,
    leftOut: [...leftOut, ...referring.leftOut].toSorted((a, b) => a.number - b.number),
  };
}
