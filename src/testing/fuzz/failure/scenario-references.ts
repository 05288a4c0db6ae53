import { resolved } from '../play/references.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Json } from '../step.js';
import type { DryRunStep } from './dry-run.js';

/** A step in the notation of scenario files. */
export type WrittenStep = Record<string, unknown>;

const REFERENCE = /\$\{([A-Za-z0-9_.]+)\}/g;
/** What scenarios parse as a reference. */
const ANY_REFERENCE = /\$\{[^}]*\}/;
/** Ids, signatures and addresses: literal values that are meaningless in another world. */
const OPAQUE = /[1-9A-HJ-NP-Za-km-z]{32,}|[0-9a-f]{8}-[0-9a-f]{4}-|\b(?:loan|payment)_/;
/** Shorter values occur in texts by coincidence. */
const SHORTEST = 16;

/** The scenario's text for a text of the fuzzer. */
export interface Meaning {
  readonly text: string;
  /** Whether it contains something that scenarios would parse as a reference but that is none. */
  readonly isHard: boolean;
}

/** Maps the fuzzer's references to those of scenarios, and makes steps save the values that later ones need. */
export class References {
  /** Agents that the scenario needs. */
  readonly agents = new Set<string>();
  /** Agents whose collection addresses occur. */
  readonly collections = new Set<string>();
  /** The token that each scenario agent currently uses, such as `s1.token`. */
  readonly ownTokens = new Map<string, string>();
  readonly #runner: ModelRunner;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #sources = new Map<string, () => string>();

  /** `addresses` are those of the scenario's agents. */
  constructor(runner: ModelRunner, addresses: ReadonlyMap<string, string>) {
    this.#runner = runner;
    this.#addresses = addresses;
  }

  /** Declares that a step can save a value, from a path of its answer. */
  offer(name: string, step: WrittenStep, path: string): void {
    this.#sources.set(name, () => {
      const saved = name.replace('.', '_');
      step['save'] = { ...(step['save'] as object | undefined), [saved]: path };
      return `\${${saved}}`;
    });
  }

  /** Like `offer`, but the step saves its whole answer, since the value may be missing. */
  offerWhole(name: string, step: WrittenStep, at: { readonly as: string; readonly path: string }): void {
    this.#sources.set(name, () => {
      step['save'] = at.as;
      return `\${${at.as}.${at.path}}`;
    });
  }

  /** A reference to a value that a step produced; null when no step of the scenario can save it. */
  saved(name: string): string | null {
    return this.#sources.get(name)?.() ?? null;
  }

  /** The collection address of an agent of the scenario. */
  collectionOf(agent: string): string {
    return this.#runner.world.modelConfig.collectionOf(this.#addresses.get(agent) ?? '');
  }

  /** A text with the scenario's references, as resolved before a step. */
  meaning(text: string, at: DryRunStep): Meaning {
    const rest = text.replace(REFERENCE, (whole, name: string) => (this.#of(name, at) === null ? whole : ''));
    const said = text.replace(REFERENCE, (whole, name: string) => this.#of(name, at) ?? whole);
    return { text: said, isHard: ANY_REFERENCE.test(rest) };
  }

  /** JSON with the scenario's references. */
  json(value: Json, at: DryRunStep): Json {
    if (typeof value === 'string') return this.meaning(value, at).text;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((each) => this.json(each, at));
    return Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([name, each]) => [name, this.json(each, at)]),
    );
  }

  /** Whether JSON contains a string that scenarios would parse as a reference but that is none. */
  isHard(value: Json, at: DryRunStep): boolean {
    if (typeof value === 'string') return this.meaning(value, at).isHard;
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value as Record<string, Json>).some(
      ([name, each]) => name === '__proto__' || ANY_REFERENCE.test(name) || this.isHard(each, at),
    );
  }

  /** Translates a value of the fuzzer's world into the scenario's; null when it contains values that only that world knows. */
  ofWorld(value: Json, at: DryRunStep): Json | null {
    const known = this.#valuesOf(JSON.stringify(value), at);
    const again = (each: Json): Json => {
      if (typeof each === 'string')
        return known.reduce((text, [from, to]) => text.split(from).join(to), each);
      if (typeof each !== 'object' || each === null) return each;
      if (Array.isArray(each)) return (each as readonly Json[]).map(again);
      return Object.fromEntries(Object.entries(each as object).map(([name, inner]) => [name, again(inner)]));
    };
    const said = again(value);
    const { strangers, world } = this.#runner;
    const collections = [...this.#addresses.keys()].map((name) => this.collectionOf(name));
    const fixed = [...strangers, world.otherMint, ...collections];
    const bare = fixed.reduce((text, each) => text.split(each).join(''), JSON.stringify(said));
    return OPAQUE.test(bare.replace(REFERENCE, '')) ? null : said;
  }

  /** Values of the fuzzer's world in a text with their replacements, longest first. The steps that produced them will save them. */
  #valuesOf(text: string, at: DryRunStep): (readonly [string, string])[] {
    const runner = this.#runner;
    const { treasury, usdcMint, receiptIssuer } = runner.world.modelConfig;
    const agents = runner.names.map((name) => [runner.address(name), `\${${name}}`] as const);
    const collections = runner.names.map(
      (name) =>
        [runner.world.modelConfig.collectionOf(runner.address(name)), this.collectionOf(name)] as const,
    );
    const saved = [...at.before]
      .filter(([name, value]) => value.length >= SHORTEST && text.includes(value) && this.#sources.has(name))
      .map(([name, value]) => [value, this.saved(name) ?? ''] as const);
    return [
      [treasury, '${treasury}'] as const,
      [usdcMint, '${usdcMint}'] as const,
      [receiptIssuer, '${issuer}'] as const,
      ...agents,
      ...collections,
      ...saved,
    ].toSorted(([a], [b]) => b.length - a.length);
  }

  /** The scenario's counterpart of a fuzzer's reference; null for unknown ones. */
  #of(name: string, at: DryRunStep): string | null {
    if (name === 'treasury') return '${treasury}';
    const [first = '', what] = name.split('.');
    if (this.#runner.names.includes(first)) return this.#ofAgent(first, what, at);
    const said = at.before.has(name) ? this.saved(name) : null;
    if (said !== null) return said;
    const nobodys = resolved(`\${${name}}`, () => undefined) as string;
    return nobodys === `\${${name}}` ? null : nobodys;
  }

  #ofAgent(name: string, what: string | undefined, at: DryRunStep): string | null {
    this.agents.add(name);
    if (what === undefined) return `\${${name}}`;
    if (what === 'collection') {
      this.collections.add(name);
      return this.collectionOf(name);
    }
    if (what !== 'token') return null;
    const token = at.tokens.get(name);
    if (token === undefined) return resolved('${none.token}', () => undefined) as string;
    return this.ownTokens.get(name) === token.name ? `\${${name}.token}` : this.saved(token.name);
  }
}
