import { parse } from 'yaml';
import { readScenario } from '../../scenario/file/read.js';
import { BrokenStep } from '../../scenario/file/steps.js';
import { playScenario } from '../../scenario/play/play.js';
import type { ScenarioResult, StepResult } from '../../scenario/results.js';
import { IN_PROCESS } from '../../drivers/in-process.js';
import { UnreadableRecording } from '../recording-error.js';
import type { StepDraft, LeftOut } from './step-draft.js';
import type { Outcome } from './expectations.js';

export interface StepExpectation {
  readonly expect: unknown;
  readonly note: string | null;
}

/** Renders a scenario with these steps. */
type TextOf = (drafts: readonly StepDraft[], expects: (draft: StepDraft) => StepExpectation) => string;

/** Which step failed, null for none of them, and why. */
interface Failure {
  readonly at: number | null;
  readonly why: string;
}

const TIMEOUT_MS = 600_000;

/** Matches any answer, so that a refused step does not end the dry run. */
const ANY: StepExpectation = { expect: { status: { absent: false } }, note: null };

const ORIGIN = { id: 'recording', file: 'recording.yaml', path: process.cwd(), line: 1, lineOf: () => 1 };

/** The steps in the file, without those that set up the world. */
function ownSteps({ steps }: ScenarioResult): StepResult[] {
  return steps.filter(({ place }) => !place.startsWith('0.') && /^\d+$/.test(place));
}

function failureOf(result: ScenarioResult): Failure | null {
  if (result.verdict === 'passed') return null;
  const own = ownSteps(result);
  const at = own.findIndex(({ verdict }) => verdict === 'failed');
  const step = own[at];
  const mismatches = step?.mismatches.map(({ path, actual }) => `${path}: ${actual}`).join('; ');
  return { at: at < 0 ? null : at, why: step?.problem ?? (mismatches || (result.reason ?? '')) };
}

/** Plays steps until they form a scenario that passes; steps that cannot are left out. */
export class DryRun {
  readonly leftOut: LeftOut[] = [];
  readonly #textOf: TextOf;
  readonly #engine: 'bankrun' | 'litesvm';
  #drafts: readonly StepDraft[];

  constructor(drafts: readonly StepDraft[], options: { textOf: TextOf; engine: 'bankrun' | 'litesvm' }) {
    this.#drafts = drafts;
    this.#textOf = options.textOf;
    this.#engine = options.engine;
  }

  get drafts(): readonly StepDraft[] {
    return this.#drafts;
  }

  /** The outcome of each step. Throws UnreadableRecording when no step works, or the setup fails. */
  async outcomes(): Promise<Map<StepDraft, Outcome>> {
    for (;;) {
      const played = await this.#play(this.#textOf(this.#drafts, () => ANY));
      if ('why' in played) this.#leaveOut(played);
      else return this.#outcomesOf(played);
    }
  }

  /** The text of the scenario with its expectations. Throws UnreadableRecording as `outcomes` does. */
  async held(expects: (draft: StepDraft, isSilent: boolean) => StepExpectation): Promise<string> {
    const silent = new Set<StepDraft>();
    for (;;) {
      const text = this.#textOf(this.#drafts, (draft) => expects(draft, silent.has(draft)));
      const played = await this.#play(text);
      if (!('why' in played)) return text;
      const draft = this.#drafts[played.at ?? -1];
      // A result that is not repeatable is not expected.
      if (draft === undefined || silent.has(draft)) this.#leaveOut(played);
      else silent.add(draft);
    }
  }

  async #play(text: string): Promise<ScenarioResult | Failure> {
    let scenario;
    try {
      scenario = readScenario(parse(text), ORIGIN);
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error;
      const { path, message } = error;
      const at = path[0] === 'steps' && typeof path[1] === 'number' ? path[1] : null;
      const inside = path.slice(at === null ? 0 : 2).join('.');
      return { at, why: inside === '' ? message : `${inside}: ${message}` };
    }
    const options = { target: IN_PROCESS, engine: this.#engine, seed: null, isDetailed: true };
    const result = await playScenario(scenario, {
      ...options,
      timeoutMs: TIMEOUT_MS,
      rerun: () => 'sim run',
    });
    return failureOf(result) ?? result;
  }

  #outcomesOf(result: ScenarioResult): Map<StepDraft, Outcome> {
    const own = ownSteps(result);
    const found = new Map<StepDraft, Outcome>();
    for (const [at, draft] of this.#drafts.entries()) {
      const last = own[at]?.exchanges.at(-1);
      if (last !== undefined) found.set(draft, { status: last.status, body: last.responseBody });
    }
    return found;
  }

  #leaveOut({ at, why }: Failure): void {
    const draft = this.#drafts[at ?? -1];
    if (draft === undefined) throw new UnreadableRecording(`the recording makes no scenario: ${why}`);
    this.leftOut.push({
      number: draft.number,
      why: `as a step it does not hold: ${why.replace(/\s+/g, ' ')}`,
    });
    this.#drafts = this.#drafts.filter((each) => each !== draft);
    if (this.#drafts.length === 0)
      throw new UnreadableRecording('the recording does nothing that a scenario could show');
  }
}
