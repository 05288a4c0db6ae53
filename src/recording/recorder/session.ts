import type { ControlWorld, ConvertedRecording } from '../../api/control/world.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { RecorderSlot } from '../../api/pipeline/recorder-port.js';
import { NdjsonFile } from '../../core/ndjson-file.js';
import type { PersistedWorld } from '../../persistence/state.js';
import type { EmbeddedChain } from '../../runtime/embedded-chain.js';
import { inProcess } from '../../runtime/refusals.js';
import type { RecordedWorld, Recorder } from './recorder.js';
import type { Sink } from './sinks.js';

export interface RecordingSessionOptions extends PersistedWorld, Pick<RecordedWorld, 'wallets' | 'faults'> {
  readonly facts: ServiceFacts;
  /** The slot from which the interfaces get the recorder. */
  readonly recorder: RecorderSlot;
  /** `null` on a cluster. */
  readonly embedded: EmbeddedChain | null;
  readonly hooks: { readonly toScenario?: ControlWorld['recording']['toScenario'] };
}

/** The most characters of a recording in memory. */
const MEMORY_LIMIT = 256 * 1_024 * 1_024;

interface Running {
  readonly recorder: Recorder;
  /** `null` for a recording in memory. */
  readonly path: string | null;
  readonly text: () => string;
  readonly release: () => void;
}

export type RecordingState = ReturnType<ControlWorld['recording']['state']>;

/** Records a world's requests and responses for replay. */
export class RecordingSession {
  readonly #options: RecordingSessionOptions;
  #running: Running | null = null;
  #ended: { readonly running: Running; readonly reason: string } | null = null;
  #isStarting = false;

  constructor(inside: RecordingSessionOptions) {
    this.#options = inside;
  }

  /**
   * Whether a recording is in progress, its path (null when in memory) and its number of inputs; and why the
   * last one ended, if it did so by itself.
   */
  state(): RecordingState {
    return {
      recording: this.#running !== null,
      path: this.#running?.path ?? null,
      inputs: this.#running?.recorder.inputs ?? 0,
      ended: this.#ended?.reason ?? null,
    };
  }

  /**
   * Records from now on, into a file that is overwritten, or into memory. Prior history is included as a
   * state file, unless `isNew` is set and nothing shows the world to be older. Throws RangeError while
   * another recording is in progress, Node's error for a file that cannot be written, ClusterLimit.
   */
  async start(options: { readonly path?: string; readonly isNew?: boolean } = {}): Promise<void> {
    if (this.#running !== null || this.#isStarting)
      throw new RangeError('a recording is in progress; stop it before starting another');
    this.#isStarting = true;
    try {
      await this.#start(options);
    } finally {
      this.#isStarting = false;
    }
  }

  /**
   * Ends the recording and resolves when its file is complete; returns the text of a recording in memory, null
   * otherwise. A recording in memory that ended by itself is returned once. Throws RangeError when there is none.
   */
  async stop(): Promise<string | null> {
    const running = this.#running;
    if (running === null) return this.#left();
    this.#release();
    running.recorder.stop();
    return running.path === null ? running.text() : null;
  }

  /** The text of a recording in memory that ended by itself. */
  #left(): string {
    const ended = this.#ended;
    if (ended === null) throw new RangeError('no recording is in progress');
    const { running, reason } = ended;
    if (running.path !== null)
      throw new RangeError(`no recording is in progress; the last recording ended: ${reason}`);
    this.#ended = null;
    return running.text();
  }

  /** Converts a recording to a scenario. Throws RangeError for one that cannot be converted, or without the `toScenario` hook. */
  toScenario(text: string, name: string): Promise<ConvertedRecording> {
    const convert = this.#options.hooks.toScenario;
    if (convert === undefined)
      throw new RangeError('this simulator cannot convert recordings; sim record to-scenario FILE does');
    return convert(text, name);
  }

  async close(): Promise<void> {
    if (this.#running !== null) await this.stop();
  }

  #release(): void {
    this.#options.recorder.on = null;
    this.#running?.release();
    this.#running = null;
  }

  async #start({ path, isNew = false }: { readonly path?: string; readonly isNew?: boolean }): Promise<void> {
    this.#ended = null;
    const { clock, config, facts, bank, events } = this.#options;
    const embedded = inProcess(this.#options.embedded, 'recording');
    const { MemorySink } = await import('./sinks.js');
    const { Recorder: Made } = await import('./recorder.js');
    const { headerOf } = await import('./header.js');
    const memory = new MemorySink(MEMORY_LIMIT);
    const sink: Sink = path === undefined ? memory : new NdjsonFile(path, 'w', 0o600);
    const begin = (): Recorder => {
      const recorder = new Made(this.#recordedWorld(embedded), {
        sink,
        onError: (error) => this.#failed(error),
        onLeft: (reason) => this.#leave(reason),
      });
      const release = embedded.chain.listen({
        changed: (_touched, record) => {
          if (record === null) recorder.written();
        },
        restored: () => undefined,
      });
      this.#options.recorder.on = recorder;
      this.#running = { recorder, path: path ?? null, text: () => memory.text(), release };
      return recorder;
    };
    const header = { config, facts, mode: clock.mode(), startMs: clock.startMs };
    // A world resumed from a state file or data folder has had its clock set; one that began with accounts of its own is told by its state.
    const isPlain = Object.values(config.genesis).every((sources) => sources === undefined);
    const isUnused = clock.changes() === 0 && bank.books.state.seq <= 1 && events.last <= 1;
    if (isNew && isPlain && isUnused) {
      begin().begin(headerOf({ ...header, state: null }));
      return;
    }
    let recorder: Recorder | undefined;
    const { exportWorld } = await import('../../persistence/state.js');
    const state = await exportWorld(this.#options, {
      atOnce: () => {
        recorder = begin();
      },
    });
    recorder?.begin(headerOf({ ...header, state }));
  }

  #recordedWorld({ chain, faucetAddress }: EmbeddedChain): RecordedWorld {
    const { bank, config, clock, events, faults, wallets } = this.#options;
    const protocol = bank.addresses.protocol.address;
    return {
      config,
      clock,
      chain,
      events,
      faults,
      wallets,
      isBank: (address) => address === protocol || bank.reconciler.isOurs(address),
      isFaucet: (address) => address === faucetAddress,
    };
  }

  #failed(error: unknown): void {
    const recording = this.#endBySelf('it could no longer be written');
    console.error(`agent-bank-sim: ${recording} can no longer be written:`, error);
  }

  /** Ends the recording when the world is in a state that a recording cannot represent. */
  #leave(reason: string): void {
    const recorder = this.#running?.recorder;
    const recording = this.#endBySelf(reason);
    console.error(`agent-bank-sim: ${recording} has ended: ${reason}`);
    recorder?.stop(reason);
  }

  /** Stops recording; returns the recording's name for messages. */
  #endBySelf(reason: string): string {
    const running = this.#running;
    this.#release();
    if (running !== null) this.#ended = { running, reason };
    return running?.path ? `the recording ${running.path}` : 'the recording in memory';
  }
}
