import { createHash } from 'node:crypto';
import { MAX_TEXT_BYTES, readUserFile } from '../../core/user-file.js';
import { isObject } from '../../core/json.js';
import type { Entry } from '../../core/domain/entry.js';
import type { Token } from '../../core/domain/money.js';
import type { Persona } from '../personas.js';
import { BrokenStep } from '../scenario/file/steps.js';
import { importedModule } from '../scenario/file/typescript.js';
import type { MetricFacts } from './metric-names.js';

/** An action of an agent. */
export interface StudyAction {
  /** The name of an action, such as `withdraw`; `wait` for nothing. */
  readonly do: string;
  /** In token units; default: drawn from the agent's balance. */
  readonly amount?: number | undefined;
  /** Default: drawn, mostly USDC. */
  readonly token?: Token | undefined;
  /** The recipient of `x402.pay` and `send`; default: drawn. */
  readonly to?: string | undefined;
  /** The term of a requested credit line in days; default: drawn. */
  readonly days?: number | undefined;
}

/** An agent of a study at this instant. Amounts are in token units. */
export interface StudyAgentView {
  /** From 1. */
  readonly number: number;
  readonly persona: string;
  readonly wallet: string;
  /** Its wealth relative to its persona; 1 on average. */
  readonly factor: number;
  /** The balances of its wallet on chain. */
  inWallet(token: Token): number;
  checking(token: Token): number;
  savings(token: Token): number;
  /** The debt against its savings, with interest, in USDC. */
  debt(): number;
  /** The amount that it can still borrow against its savings, in USDC. */
  borrowable(): number;
  /** The debt on credit lines, with interest, in USDC. */
  creditLines(): number;
}

/** The world of a run at this instant. */
export interface StudyInstant {
  /** From 1; 0 before the first actions. */
  readonly tick: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly agents: readonly StudyAgentView[];
  /** In USD. */
  price(token: Token): number;
  /** The rate of savings, as a fraction. */
  apy(token: Token): number;
  /** A random number, at least 0 and below 1, determined by the seed of the run. */
  random(): number;
}

/** A persona in a module of a study: weights of actions, or a function that chooses them. */
export interface StudyPersona extends Omit<Persona, 'does'> {
  readonly does?: Persona['does'];
  /** Chooses the next action; null for none. Without it, actions are drawn by their weights. */
  readonly act?: (agent: StudyAgentView, world: StudyInstant) => StudyAction | null;
}

/** A metric in a module of a study. */
export interface StudyMetric extends Partial<MetricFacts> {
  /** Measures the world: a number, or numbers by key. `entries` are the journal entries since the previous measurement. */
  readonly measure: (
    world: StudyInstant,
    entries: readonly Entry[],
  ) => number | Readonly<Record<string, number>>;
}

/** The exports of a study's module; both are optional. */
export interface StudyModule {
  readonly personas: Readonly<Record<string, StudyPersona>>;
  readonly metrics: Readonly<Record<string, StudyMetric>>;
}

/** A module without personas and metrics. */
export const NO_MODULE: StudyModule = { personas: {}, metrics: {} };

function named<T>(exported: unknown, what: string, isOne: (value: unknown) => boolean): Record<string, T> {
  if (exported === undefined) return {};
  const wrong = isObject(exported)
    ? Object.entries(exported).find(([, value]) => !isOne(value))?.[0]
    : 'the export';
  if (wrong === undefined) return exported as Record<string, T>;
  throw new BrokenStep(['module'], `${what} of the module: ${wrong} is missing or invalid`);
}

const isPersona = (value: unknown) =>
  isObject(value) &&
  isObject(value['begins']) &&
  (isObject(value['does']) || typeof value['act'] === 'function');
const isMetric = (value: unknown) => isObject(value) && typeof value['measure'] === 'function';

/** The digest of a module, which identifies it to workers. Throws UnreadableFile. */
export function moduleDigest(path: string): string {
  return createHash('sha256').update(readUserFile(path, MAX_TEXT_BYTES)).digest('hex');
}

/** Loads the module of a study. Rejects with BrokenFile and BrokenStep. */
export async function loadModule(path: string): Promise<StudyModule> {
  const module = await importedModule(path, path);
  // CommonJS files wrap their exports.
  const exported = isObject(module['default']) ? { ...module['default'], ...module } : module;
  return {
    personas: named(exported['personas'], 'personas', isPersona),
    metrics: named(exported['metrics'], 'metrics', isMetric),
  };
}
