import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DEFAULT_SEED } from '../../../runtime/config.js';
import type { PlayOptions } from '../play/play-options.js';
import type { PropertyFile } from '../file/schema.js';
import type { PropertyResult, StepResult } from '../results.js';
import type { Scenario } from '../scenario.js';
import { asScenario } from './as-scenario.js';
import { type PropertyAgent, propertyAgents } from './property-agent.js';
import type { PropertyCheck } from '../script.js';
import { type PropertyCaseResult, PropertyCase } from './property-case.js';
import type { Choice } from './actions.js';

/** Maximum worlds played while shrinking a counterexample. */
const SHRINKING_RUNS = 300;

/** A case drawn by fast-check. */
interface Drawn {
  /** Part of the world's seed. */
  readonly world: number;
  readonly choices: readonly Choice[];
}

/** Result of a property. */
export interface PropertyPlayed {
  readonly verdict: 'passed' | 'failed';
  readonly reason: string | null;
  /** Steps of the shortest counterexample; empty if there is none. */
  readonly steps: readonly StepResult[];
  readonly property: PropertyResult;
}

function drawn(steps: number): fc.Arbitrary<Drawn> {
  const choice = fc.record({
    who: fc.nat(9),
    what: fc.nat(99),
    how: fc.nat(40),
    token: fc.nat(3),
  });
  return fc.record({
    world: fc.noShrink(fc.nat(999_999)),
    // No bias towards short sequences, in which little can happen. Shrinking shortens them.
    choices: fc.noBias(fc.array(choice, { minLength: 1, maxLength: steps, size: 'max' })),
  });
}

/** A fast-check seed from the seed of a world. */
function seedNumber(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32BE(0);
}

/** Plays a property in many worlds, and shrinks a counterexample. */
class PropertyRun {
  readonly #scenario: Scenario;
  readonly #property: PropertyFile;
  readonly #check: PropertyCheck | null;
  readonly #options: PlayOptions;
  readonly #who: readonly PropertyAgent[];
  readonly #seed: string;
  readonly #goals = new Map<string, number>();
  readonly #isOver: () => boolean;
  #runs = 0;
  #steps = 0;
  #shrinking = 0;
  #worst: { caseResult: PropertyCaseResult; seed: string } | null = null;

  constructor(
    scenario: Scenario,
    property: PropertyFile,
    more: { check: PropertyCheck | null; options: PlayOptions; isOver: () => boolean },
  ) {
    this.#scenario = scenario;
    this.#property = property;
    this.#check = more.check;
    this.#options = more.options;
    this.#isOver = more.isOver;
    this.#who = propertyAgents(property);
    this.#seed = String(scenario.world.seed ?? more.options.seed ?? DEFAULT_SEED);
  }

  async run(): Promise<PropertyPlayed> {
    const { runs, steps, seed } = this.#property;
    const used = seed ?? seedNumber(this.#seed);
    const property = fc.asyncProperty(drawn(steps), (life) => this.#holds(life));
    const { failed, errorInstance } = await fc.check(property, { numRuns: runs, seed: used });
    // An internal error of the runner is not a counterexample.
    if (failed && this.#worst === null) throw errorInstance;
    if (this.#runs === 0)
      throw new Error('no world was played in the time that there is; give it more with --timeout');
    const unreached = this.#property.sometimes.filter((goal) => !this.#goals.has(goal));
    const counterexample = this.#counterexample();
    const isBroken = this.#worst !== null;
    const result: PropertyResult = {
      runs: this.#runs,
      steps: this.#steps,
      seed: used,
      goals: Object.fromEntries(
        [...new Set([...this.#property.sometimes, ...this.#goals.keys()])]
          .toSorted()
          .map((goal) => [goal, this.#goals.get(goal) ?? 0]),
      ),
      counterexample,
    };
    const missed = `${unreached.join(', ')} ${unreached.length === 1 ? 'was' : 'were'} never reached in ${this.#runs} runs of up to ${steps} steps, so that the property proves little; give it more runs or steps, or other behaviours`;
    return {
      verdict: isBroken || unreached.length > 0 ? 'failed' : 'passed',
      reason: this.#worst?.caseResult.reason ?? (unreached.length > 0 ? missed : null),
      steps: this.#worst?.caseResult.steps ?? [],
      property: result,
    };
  }

  async #holds({ world, choices }: Drawn): Promise<boolean> {
    const isShrinking = this.#worst !== null;
    if (isShrinking) this.#shrinking += 1;
    // Unplayed sequences count as passed, so that the shortest counterexample found so far is kept.
    if (this.#isOver() || this.#shrinking > SHRINKING_RUNS) return true;
    const seed = `${this.#seed}/${world}`;
    const caseResult = await this.#live(seed, choices);
    if (!isShrinking) {
      this.#runs += 1;
      this.#steps += caseResult.steps.length;
      for (const [goal, times] of caseResult.goals)
        this.#goals.set(goal, (this.#goals.get(goal) ?? 0) + times);
    }
    if (caseResult.reason === null) return true;
    this.#worst = { caseResult, seed };
    return false;
  }

  async #live(seed: string, choices: readonly Choice[]): Promise<PropertyCaseResult> {
    const { target, engine, isDetailed } = this.#options;
    const world = await target.open({ engine, ...this.#scenario.world, seed });
    try {
      const { invariants, finally: end } = this.#scenario;
      const options = {
        who: this.#who,
        property: this.#property,
        check: this.#check,
        invariants,
        finally: end,
        isDetailed,
      };
      return await new PropertyCase(world, options).live(choices);
    } finally {
      await world.close();
    }
  }

  #counterexample(): string | null {
    if (this.#worst === null) return null;
    const { caseResult, seed } = this.#worst;
    const reason = caseResult.reason ?? '';
    return asScenario(this.#scenario, this.#who, { steps: caseResult.written, seed, reason });
  }
}

/** Plays a property. Rejects with CannotPlay, UnusableWorld, and internal errors. */
export function playProperty(
  scenario: Scenario,
  property: PropertyFile,
  more: { check: PropertyCheck | null; options: PlayOptions; isOver: () => boolean },
): Promise<PropertyPlayed> {
  return new PropertyRun(scenario, property, more).run();
}
