import { InvalidOptions, type SimulatorOptions } from '../../runtime/config.js';
import { MalformedTransaction } from '../../chain/solana/wire.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import { StateError } from '../../persistence/state-file/state-error.js';
import type { Difference } from './compare.js';
import type { InputLine, Recording } from '../schema.js';
import { LineReplayer, ReplayClock } from './line-replayer.js';
import { UnreadableRecording, damaged } from './read-recording.js';
import { SubstituteSigners } from './substitute-signers.js';

export interface ReplayOptions {
  /** The engine; the recorded one when left out. */
  readonly engine?: 'bankrun' | 'litesvm' | undefined;
  /** A file for the events of the replay. */
  readonly log?: string | undefined;
  /** Snapshots kept before the last requests of the replay; none by default. */
  readonly history?: number | undefined;
  /** Called with the world after the last line; the world is closed afterwards. */
  readonly atEnd?: (sim: Simulator) => Promise<void>;
}

/** An input whose results differ, by the number of its line. */
export interface ReplayedDifference {
  readonly number: number;
  readonly what: string;
  readonly who: string | null;
  readonly differences: readonly Difference[];
}

export type ReplayReport = Awaited<ReturnType<typeof replayRecording>>;

function whatOf(line: InputLine): string {
  switch (line.kind) {
    case 'call':
      return line.operation;
    case 'rpc':
      return line.method;
    case 'control':
      return `control ${line.command}`;
    case 'send':
      return 'transaction';
    case 'clock':
      return 'clock';
  }
}

/** Creates the world at the start of a recording. Throws UnreadableRecording. */
export async function worldAtStart(
  { header: { state, options, seed, time, startTime } }: Recording,
  run: Pick<SimulatorOptions, 'engine' | 'history'>,
  hooks: Parameters<typeof createSimulator>[1] = {},
): Promise<Simulator> {
  const start: SimulatorOptions =
    state === null
      ? { ...(options as SimulatorOptions), seed, startTime }
      : { state: Buffer.from(state, 'base64') };
  try {
    return await createSimulator({ ...start, time, ...run }, hooks);
  } catch (error) {
    if (error instanceof InvalidOptions || error instanceof StateError)
      throw new UnreadableRecording(`the world of the recording cannot be created: ${error.message}`);
    throw error;
  }
}

/** Replays a recording in a fresh world at full speed. Throws UnreadableRecording when that world cannot be created. */
export async function replayRecording(recording: Recording, options: ReplayOptions = {}) {
  const { path, header, lines, isCut } = recording;
  const engine = options.engine ?? header.engine;
  const clock = new ReplayClock();
  const substitutes = new SubstituteSigners(header.seed);
  const wallets = lines.flatMap(({ line }) => (line.kind === 'wallet' ? [line] : []));
  for (const wallet of wallets) substitutes.add(wallet);
  const addresses = new Map(wallets.map(({ name, address }) => [name, address]));
  const hooks = { wall: clock.now, wait: clock.wait, signatures: substitutes };
  const sim = await worldAtStart(recording, { engine, history: options.history }, hooks);
  try {
    if (options.log !== undefined) sim.logTo(options.log);
    const replayer = new LineReplayer({ sim, clock, substitutes, addresses });
    /** The number of inputs of each type, and how many of them differ. */
    const byWhat: Record<string, { inputs: number; different: number }> = {};
    const different: ReplayedDifference[] = [];
    let inputs = 0;
    const from = performance.now();
    for (const { number, line } of lines) {
      if (line.kind === 'wallet' || line.kind === 'end') continue;
      const differences = await replayer.play(line).catch((error: unknown) => {
        const isDamaged = error instanceof MalformedTransaction || error instanceof InvalidOptions;
        throw isDamaged ? damaged(path, number, error.message) : error;
      });
      inputs += 1;
      const what = whatOf(line);
      const count = (byWhat[what] ??= { inputs: 0, different: 0 });
      count.inputs += 1;
      if (differences.length > 0) {
        count.different += 1;
        const who = line.kind === 'control' || line.kind === 'clock' ? null : (line.who ?? null);
        different.push({ number, what, who, differences });
      }
    }
    const ms = performance.now() - from;
    await options.atEnd?.(sim);
    return { engine, inputs, same: inputs - different.length, ms, byWhat, different, isCut };
  } finally {
    await sim.close();
  }
}
