import { statSync } from 'node:fs';
import type { ControlWorld, ConvertedRecording } from '../../api/control/world.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { RecorderSlot } from '../../api/pipeline/recorder-port.js';
import { NdjsonFile } from '../../core/ndjson-file.js';
import type { PersistedWorld } from '../../persistence/state.js';
import { inProcess } from '../../runtime/refusals.js';
import type { WorldParts } from '../../runtime/world-parts.js';
import type { Recorder, Sink } from './recorder.js';

export interface RecordingSessionOptions
  extends PersistedWorld, Pick<WorldParts, 'wallets' | 'faults' | 'embedded'> {
  readonly facts: ServiceFacts;
  /** The slot from which the interfaces get the recorder. */
  readonly recorder: RecorderSlot;
  readonly hooks: { readonly toScenario?: ControlWorld['recording']['toScenario'] };
}

/** The most characters of a recording in memory. */
const MEMORY_LIMIT = 256 * 1_024 * 1_024;

/** Holds a recording in memory, up to a number of characters. Throws RangeError for a line beyond it. */
export function memorySink(limit: number): Sink & { readonly text: () => string } {
  const lines: string[] = [];
  let size = 0;
  return {
    line: (line) => {
      size += line.length;
      if (size > limit) throw new RangeError(`the recording would be longer than ${limit} characters`);
      lines.push(`${line}\n`);
    },
    flush: () => undefined,
    close: () => undefined,
    text: () => lines.join(''),
  };
}

/** Whether a file may hold an earlier recording, or one that another process is writing. */
export function isTaken(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > 0;
}

export type RecordingState = ReturnType<ControlWorld['recording']['state']>;

/** Records a world's requests and responses for replay. */
export class RecordingSession {
  readonly #options: RecordingSessionOptions;
  /** The recording in progress, or the last one if it ended by itself. */
  #last: {
    readonly recorder: Recorder;
    /** `null` for a recording in memory. */
    readonly path: string | null;
    readonly text: () => string;
    /** Why it ended by itself; null while it is in progress. */
    ended: string | null;
  } | null = null;
  #isStarting = false;

  constructor(inside: RecordingSessionOptions) {
    this.#options = inside;
  }

  /**
   * Whether a recording is in progress, its path (null when in memory) and its number of inputs; and why the
   * last one ended, if it did so by itself.
   */
  state(): RecordingState {
    const running = this.#running();
    return {
      recording: running !== null,
      path: running?.path ?? null,
      inputs: running?.recorder.inputs ?? 0,
      ended: this.#last?.ended ?? null,
    };
  }

  /**
   * Records from now on, into a new or empty file, or into memory. Prior history is included as a
   * state file, unless `isNew` is set and nothing shows the world to be older. Throws RangeError while
   * another recording is in progress and for a file that is not empty, Node's error for a file that cannot be
   * written, ClusterLimit.
   */
  async start(options: { readonly path?: string; readonly isNew?: boolean } = {}): Promise<void> {
    const { path, isNew = false } = options;
    if (this.#running() !== null || this.#isStarting)
      throw new RangeError('a recording is in progress; stop it before starting another');
    this.#isStarting = true;
    try {
      const { clock, bank, events } = this.#options;
      const embedded = inProcess(this.#options.embedded, 'recording');
      const { Recorder: Made } = await import('./recorder.js');
      if (path !== undefined && isTaken(path))
        throw new RangeError(`${path}: the file is not empty; name another, or remove it first`);
      this.#last = null;
      const memory = memorySink(MEMORY_LIMIT);
      const sink = path === undefined ? memory : new NdjsonFile(path, 'w', 0o600);
      const begin = (): void => {
        const onEnd = (reason: string, error?: unknown) => this.#endBySelf(reason, error);
        const recorder = new Made({ ...this.#options, embedded }, sink, onEnd);
        this.#options.recorder.on = recorder;
        this.#last = { recorder, path: path ?? null, text: memory.text, ended: null };
      };
      // A world resumed from a state file or data folder has had its clock set.
      const isUnused = clock.changes() === 0 && bank.books.state.seq <= 1 && events.last <= 1;
      let state: Uint8Array | null = null;
      if (isNew && isUnused) begin();
      else {
        const { exportWorld } = await import('../../persistence/state.js');
        state = await exportWorld(this.#options, { atOnce: begin });
      }
      this.#running()?.recorder.begin(state);
    } finally {
      this.#isStarting = false;
    }
  }

  /**
   * Ends the recording and resolves when its file is complete; returns the text of a recording in memory, null
   * otherwise. A recording in memory that ended by itself is returned once. Throws RangeError when there is none.
   */
  async stop(): Promise<string | null> {
    const last = this.#last;
    if (last === null) throw new RangeError('no recording is in progress');
    if (last.ended !== null && last.path !== null)
      throw new RangeError(`no recording is in progress; the last recording ended: ${last.ended}`);
    this.#options.recorder.on = null;
    if (last.ended === null) last.recorder.stop();
    this.#last = null;
    return last.path === null ? last.text() : null;
  }

  /** Converts a recording to a scenario. Throws RangeError for one that cannot be converted, or without the `toScenario` hook. */
  toScenario(text: string, name: string): Promise<ConvertedRecording> {
    const convert = this.#options.hooks.toScenario;
    if (convert === undefined)
      throw new RangeError('this simulator cannot convert recordings; sim record to-scenario FILE does');
    return convert(text, name);
  }

  async close(): Promise<void> {
    if (this.#running() !== null) await this.stop();
  }

  #running() {
    return this.#last?.ended === null ? this.#last : null;
  }

  /** Ends and reports a recording that can no longer be written, because of an error, or no longer represent the world. */
  #endBySelf(reason: string, error?: unknown): void {
    this.#options.recorder.on = null;
    if (this.#last !== null) this.#last.ended = reason;
    const path = this.#last?.path ?? null;
    const recording = path === null ? 'the recording in memory' : `the recording ${path}`;
    if (error === undefined) console.error(`agent-bank-sim: ${recording} has ended: ${reason}`);
    else console.error(`agent-bank-sim: ${recording} can no longer be written:`, error);
  }
}
