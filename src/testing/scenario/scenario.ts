import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { UnreadableFile, readUserText } from '../../core/user-file.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import type { AgentFile, Expectations, PropertyFile, StepMembers, WorldFile } from './file/schema.js';
import type { ScenarioResult } from './results.js';
import type { PropertyCheck, Script } from './script.js';

/** A parsed and validated step. */
export interface Step extends Readonly<StepMembers> {
  /** As written: `alice.deposit`, `time.advance`, `repeat`. */
  readonly title: string;
  readonly does:
    | { readonly kind: 'agent'; readonly agent: string; readonly verb: string; readonly args: unknown }
    | { readonly kind: 'world'; readonly verb: string; readonly args: unknown }
    | { readonly kind: 'repeat'; readonly times: number | string; readonly steps: readonly Step[] }
    | { readonly kind: 'parallel'; readonly steps: readonly Step[] }
    | {
        readonly kind: 'wait';
        readonly step: Step;
        /** Durations. */
        readonly every: string;
        readonly within: string;
      }
    | { readonly kind: 'expect'; readonly expectations: Expectations };
  /** Line in the file, from 1; null if unknown. */
  readonly line: number | null;
}

/** A step that has only its action. */
export function plainStep(title: string, does: Step['does']): Step {
  return { title, does, line: null };
}

export function lookingStep(title: string, expectations: Expectations): Step {
  return plainStep(title, { kind: 'expect', expectations });
}

type About = Pick<ScenarioResult, 'id' | 'file' | 'line' | 'name' | 'description' | 'tags' | 'variants'>;

/** A parsed and validated scenario. */
export interface Scenario extends Omit<About, 'variants'> {
  readonly world: SimulatorOptions;
  readonly worldAsWritten: WorldFile;
  readonly invariants: 'always' | 'end' | 'off';
  readonly agents: Readonly<Record<string, AgentFile>>;
  readonly play:
    | { readonly kind: 'steps'; readonly steps: readonly Step[] }
    | {
        readonly kind: 'script';
        readonly run: Script;
        readonly path: string;
      }
    | {
        readonly kind: 'property';
        readonly property: PropertyFile;
        /** A condition checked after each step in addition to the invariants of the books; null for none. */
        readonly check: PropertyCheck | null;
      };
  readonly finally: Expectations | null;
  /** Line of `finally` in the file, from 1; null if unknown. */
  readonly finallyLine: number | null;
}

/** The variants of a world, such as `withdrawals=queued`. */
function variantsOf(given: Readonly<Record<string, unknown>>): string[] {
  const { errorStatus, review, ...rest } = { ...DEFAULT_VARIANTS, ...given };
  return [
    ...Object.entries(rest).map(([name, value]) => `${name}=${value}`),
    `review=${review.split(':')[0]}`,
    ...(Object.keys(errorStatus).length === 0 ? [] : ['errorStatus']),
  ];
}

export function aboutOf(scenario: Scenario): About {
  const { id, file, line, name, description, tags, world } = scenario;
  return { id, file, line, name, description, tags, variants: variantsOf(world.variants ?? {}) };
}

/** An invalid scenario file: the location and the problem. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';

  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number,
    readonly reason: string,
  ) {
    super(`${file}:${line}:${column}: ${reason}`);
  }
}

/** The text of the file at a path. Throws BrokenFile. */
export function textOf(path: string, file: string): string {
  try {
    return readUserText(path);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new BrokenFile(file, 1, 1, `cannot be read (${error.reason})`);
  }
}
