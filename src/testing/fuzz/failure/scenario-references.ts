import { mapTexts } from '../../../core/json.js';
import type { WrittenStep } from '../../scenario/file/write.js';
import { escaped, referencesIn } from '../../scenario/references.js';
import { WRAPPED_MINT } from '../commands/aims.js';
import { REFERENCE, unresolvedValue } from '../play/references.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Json } from '../step.js';

/** Thrown for what a scenario cannot express; the message gives the reason. */
export class InexpressibleStep extends Error {
  override readonly name = 'InexpressibleStep';
}

/** Ids, signatures and addresses: literal values that have no meaning in another world. */
const OPAQUE = /[1-9A-HJ-NP-Za-km-z]{32,}|[0-9a-f]{8}-[0-9a-f]{4}-|\b(?:loan|payment)_/;
/** Shorter values may occur in texts by coincidence. */
const SHORTEST = 16;

/** Maps the fuzzer's references to references of a scenario, and makes steps save the values that later steps need. */
export class References {
  readonly collections = new Set<string>();
  /** The name of the token that each agent used before the step that is being written (`s1.token`), and whether it was valid. */
  tokens: ReadonlyMap<string, { readonly name: string; readonly isGood: boolean }> = new Map();
  /** The token that each scenario agent currently uses, such as `s1.token`. */
  readonly ownTokens = new Map<string, string>();
  readonly #runner: ModelRunner;
  readonly #addresses: ReadonlyMap<string, string>;
  /** The steps that can save values, by the names of the values. */
  readonly #offers = new Map<string, WrittenStep>();

  /** `addresses`: the addresses of the scenario's agents. */
  constructor(runner: ModelRunner, addresses: ReadonlyMap<string, string>) {
    this.#runner = runner;
    this.#addresses = addresses;
  }

  /** Declares that a step can save a value, if the step that was played has produced it. */
  offer(name: string, step: WrittenStep): void {
    if (this.#runner.memory.paths.has(name)) this.#offers.set(name, step);
  }

  /** A reference to a value that a step produced, which it now saves; null when no step of the scenario can save it. */
  saved(name: string): string | null {
    const [step, path] = [this.#offers.get(name), this.#runner.memory.paths.get(name)];
    if (step === undefined || path === undefined) return null;
    const saved = name.replace('.', '_');
    step['save'] = { ...(step['save'] as object | undefined), [saved]: path };
    return `\${${saved}}`;
  }

  /** Takes the tokens of the agents as they are now. */
  keepTokens(): void {
    const { memory } = this.#runner;
    const names = new Map([...memory.values].map(([name, value]) => [value, name]));
    const tokens = [...memory.tokens].flatMap(([agent, { text }]) => {
      const name = names.get(text);
      return name === undefined ? [] : [[agent, { name, isGood: this.#runner.isSignedIn(agent) }] as const];
    });
    this.tokens = new Map(tokens);
  }

  collectionOf(agent: string): string {
    return this.#runner.world.modelConfig.collectionOf(this.#addresses.get(agent) ?? '');
  }

  /** A text with the scenario's references, as resolved before a step. Throws InexpressibleStep. */
  text(text: string): string {
    const references: string[] = [];
    let said = '';
    let from = 0;
    for (const { 0: whole, 1: name = '', index } of text.matchAll(REFERENCE)) {
      const reference = this.#of(name);
      if (reference === null) continue;
      references.push(...referencesIn(reference));
      said += escaped(text.slice(from, index)) + reference;
      from = index + whole.length;
    }
    said += escaped(text.slice(from));
    // A brace or dollar before a reference would become part of it.
    if (referencesIn(said).join() !== references.join())
      throw new InexpressibleStep(`a text cannot contain this reference: ${JSON.stringify(text)}`);
    return said;
  }

  /** JSON with the scenario's references. Throws InexpressibleStep. */
  json(value: Json): Json {
    return mapTexts(value, (text) => this.text(text), escaped) as Json;
  }

  /** Translates a value of the fuzzer's world into the scenario's; null when it contains values that only the fuzzer's world knows. */
  ofWorld(value: Json): Json | null {
    const known = this.#valuesOf(JSON.stringify(value));
    const said = mapTexts(value, (text) =>
      known.reduce((rest, [from, to]) => rest.split(from).join(to), escaped(text)),
    ) as Json;
    const { strangers, world } = this.#runner;
    const holders = [world.modelConfig.treasury, ...this.#addresses.values()];
    const collections = [...this.#addresses.keys()].map((name) => this.collectionOf(name));
    const tokenAccounts = holders.map((holder) => world.tokenAccountOf(holder));
    const fixed = [...strangers, world.otherMint, WRAPPED_MINT, ...collections, ...tokenAccounts];
    const bare = fixed.reduce((text, each) => text.split(each).join(''), JSON.stringify(said));
    return OPAQUE.test(bare.replace(REFERENCE, '')) ? null : said;
  }

  /** Values of the fuzzer's world in a text with their replacements, longest first. The steps that produced the values will save them. */
  #valuesOf(text: string): (readonly [string, string])[] {
    const runner = this.#runner;
    const { treasury, usdcMint, receiptIssuer } = runner.world.modelConfig;
    const agents = runner.names.map((name) => [runner.address(name), `\${${name}}`] as const);
    const collections = runner.names.map(
      (name) =>
        [runner.world.modelConfig.collectionOf(runner.address(name)), this.collectionOf(name)] as const,
    );
    const saved = [...runner.memory.values]
      .filter(([, value]) => value.length >= SHORTEST && text.includes(value))
      .flatMap(([name, value]) => {
        const reference = this.saved(name);
        return reference === null ? [] : [[value, reference] as const];
      });
    return [
      [treasury, '${treasury}'] as const,
      [usdcMint, '${usdcMint}'] as const,
      [receiptIssuer, '${issuer}'] as const,
      ...agents,
      ...collections,
      ...saved,
    ].toSorted(([a], [b]) => b.length - a.length);
  }

  /** The scenario's counterpart of a fuzzer's reference; null for text that only looks like one. Throws InexpressibleStep. */
  #of(name: string): string | null {
    if (name === 'treasury') return '${treasury}';
    if (name === 'mint') return '${usdcMint}';
    const { world } = this.#runner;
    if (name === 'treasury.tokens') return world.tokenAccountOf(world.modelConfig.treasury);
    const [first = '', what] = name.split('.');
    if (this.#runner.names.includes(first)) return this.#ofAgent(first, what);
    const reference = this.saved(name) ?? unresolvedValue(name) ?? null;
    if (reference === null && this.#runner.resolve(`\${${name}}`) !== `\${${name}}`)
      throw new InexpressibleStep(`a scenario cannot alter a value that it saves: ${name}`);
    return reference;
  }

  #ofAgent(name: string, what: string | undefined): string | null {
    if (what === undefined) return `\${${name}}`;
    if (what === 'collection') {
      this.collections.add(name);
      return this.collectionOf(name);
    }
    if (what === 'tokens') return this.#runner.world.tokenAccountOf(this.#addresses.get(name) ?? '');
    if (what !== 'token') return null;
    const token = this.tokens.get(name);
    if (token === undefined) return unresolvedValue('token') ?? null;
    return this.ownTokens.get(name) === token.name ? `\${${name}.token}` : this.saved(token.name);
  }
}
