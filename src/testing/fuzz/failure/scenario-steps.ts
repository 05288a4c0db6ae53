import { mapTexts, defined } from '../../../core/json.js';
import { type WrittenStep, rawCall, verbCall, VERB_NAMES } from '../../scenario/file/write.js';
import { escaped, referencesIn } from '../../scenario/references.js';
import { WRAPPED_MINT } from '../commands/aims.js';
import { REFERENCE, unresolvedValue } from '../play/references.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Json, CallArgs, Step } from '../step.js';
import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { filledPath } from '../../../contract/match-path.js';
import type { Variants } from '../../../core/domain/variants.js';
import { amountOf, DECIMALS } from '../amounts.js';
import { type BodyDifference, pathText } from '../model/difference.js';
import type { StepResult } from '../play/sequences.js';
import { byVerb } from '../commands/command.js';
import { COMMANDS } from '../commands/commands.js';
import { otherUsdc } from '../commands/operator.js';
import { type Written, digitsOf } from '../commands/sends.js';
import { MISHAPS, type Mishap } from '../world.js';

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

// Characters that a header may contain: printable Latin-1, without spaces at the ends.
const HEADER = /^(?! )[\u0020-\u007e\u00a0-\u00ff]*(?<! )$/;

function header(text: string, references: References): string {
  const said = references.text(text);
  if (!HEADER.test(said)) throw new InexpressibleStep(`a header cannot contain ${JSON.stringify(text)}`);
  return said;
}

/** Whether the scenario's agent would use the same token, and the token is valid. */
function usesOwnToken(by: string, auth: string | undefined, references: References): boolean {
  const token = references.tokens.get(by);
  return auth === undefined && token?.isGood === true && references.ownTokens.get(by) === token.name;
}

function authorizationOf({ by, with: args }: Step, references: References): string | null {
  const { auth } = args as CallArgs;
  if (auth === 'none') return null;
  if (auth !== undefined) return header(auth, references);
  return by === undefined || !references.tokens.has(by) ? null : header(`Bearer \${${by}.token}`, references);
}

function request(
  step: Step,
  { method, path }: Endpoint,
  parts: Parameters<typeof rawCall>[2],
  references: References,
) {
  const { by, with: args } = step;
  const { params: { id = '' } = {} } = args as CallArgs;
  const authorization = authorizationOf(step, references);
  const isOwn = authorization !== null && authorization === `Bearer \${${by}.token}`;
  const said = references.text(id);
  const inPath = referencesIn(said).length > 0 ? said : encodeURIComponent(id);
  const headers = isOwn || authorization === null ? {} : { headers: { authorization } };
  return rawCall(isOwn ? (by ?? null) : null, { method, path: filledPath(path, inPath) }, parts, headers);
}

/** Writes a call as a step: as a verb, or as a raw request where a verb behaves differently. Throws InexpressibleStep. */
export function callStep(step: Step, variants: Variants, references: References): WrittenStep {
  const id = step.do as EndpointId;
  const { by } = step;
  const endpoint: Endpoint = endpoints(variants)[id];
  const { auth, key, params = {}, query, body, spelling } = step.with as CallArgs;
  const parts = {
    params: references.json(params) as Record<string, Json>,
    ...(query === undefined ? {} : { query: references.json(query) as Record<string, Json> }),
    ...(body === undefined ? {} : { body: references.json(body) }),
  };
  // A scenario writes requests in one notation; all others have the same meaning.
  if (spelling === 'overfull') throw new InexpressibleStep('a scenario does not pad its requests');
  if (spelling === 'infinite') throw new InexpressibleStep('a scenario has no infinite numbers');
  const isVerb = by !== undefined && (endpoint.auth === 'none' || usesOwnToken(by, auth, references));
  const { title, args: said } =
    (isVerb ? verbCall(by, id, endpoint, parts) : null) ?? request(step, endpoint, parts, references);
  return { [title]: said, ...(key === undefined ? {} : { key: header(key, references) }) };
}

export type Expected = Readonly<Record<string, unknown>>;

/** Members of an expectation with a special meaning, as opposed to members of the response body. */
const TAKEN = new Set(['status', 'headers', 'body', 'lost', 'chain', 'journal', 'events', 'noEvents']);

/** The expectation for a step that breaks no rule, from the model's outcome. */
function outcomeOf({ played: { outcome } }: StepResult): Expected {
  switch (outcome) {
    case 'ok':
    case 'failed':
      return {};
    case 'lost':
      return { lost: true };
    case 'refused':
      // Refused by the chain or by an operator's command, each with its own codes.
      return { code: { absent: false } };
    default:
      return { code: outcome };
  }
}

/** The expectation at the path of a difference; undefined if it cannot be expressed. */
function expectedAt({ expected, actual }: BodyDifference, references: References): unknown {
  if ('value' in expected) {
    const said = references.ofWorld(expected.value as Json);
    // Like the model, compares objects with all their members.
    if (said !== null) return typeof said === 'object' ? { equals: said } : said;
  } else if (expected.matcher !== undefined) return expected.matcher;
  if (actual === undefined) return { absent: false };
  if (actual === null) return { not: null };
  const unwanted = references.ofWorld(JSON.parse(JSON.stringify(actual)) as Json);
  return unwanted === null ? undefined : { not: unwanted };
}

/** The expectation for a step: what the model expects, so that a step that breaks a rule fails. Throws InexpressibleStep. */
export function expectedOf(result: StepResult, references: References): Expected {
  const { broken, played } = result;
  if (typeof broken === 'string') throw new InexpressibleStep('a scenario does not check custom rules');
  switch (broken?.kind) {
    case undefined:
    case 'invariant':
      // The scenario checks the invariants.
      return outcomeOf(result);
    case 'unanswered':
      // The outcome of a call that should have had a response is the failure itself.
      return played.outcome === 'lost' ? {} : outcomeOf(result);
    case 'answered':
      return { lost: true };
    case 'status':
      return defined({ code: broken.expected.code ?? undefined, status: broken.expected.status });
    case 'chain': {
      const { agent, token, expected } = broken;
      return {
        ...outcomeOf(result),
        chain: { [agent]: { [token.toLowerCase()]: amountOf(expected, token) } },
      };
    }
    case 'overlap':
    case 'exception':
      throw new InexpressibleStep('an expectation cannot express it');
    case 'body': {
      const expected = broken.isEncoded ? undefined : expectedAt(broken, references);
      if (expected === undefined) throw new InexpressibleStep('an expectation cannot express it');
      const path = pathText(broken.path);
      const place = TAKEN.has(String(broken.path[0])) ? `body.${path}` : path;
      return { ...outcomeOf(result), [place]: expected };
    }
  }
}

const OTHER_USDC = 100_000;
/** Operations whose result depends on the number of transactions of a wallet. */
const SCORED: readonly string[] = ['profile', 'eligibility', 'loanApply'];

const BUILT_IN = byVerb(COMMANDS);

export class StepWriter {
  readonly steps: WrittenStep[] = [];
  readonly #runner: ModelRunner;
  readonly #references: References;
  /** Challenges of complete sign-ins that later steps refer to. */
  readonly #challenges: ReadonlySet<string>;
  readonly #haveOther = new Set<string>();

  constructor(all: readonly Step[], runner: ModelRunner, references: References) {
    this.#runner = runner;
    this.#references = references;
    const texts = JSON.stringify(all.map((step) => step.with));
    this.#challenges = new Set([...texts.matchAll(/\$\{(s\d+\.challenge)\}/g)].map(([, name]) => name ?? ''));
  }

  /** Writes a step after it was played. Throws InexpressibleStep. */
  add(step: Step, result: StepResult): void {
    if (!BUILT_IN.has(step.do)) throw new InexpressibleStep('it is a custom command');
    if (this.#haveOther.size > 0 && SCORED.includes(step.do))
      throw new InexpressibleStep('a transaction of the scenario alone would count');
    if (result.played.outcome === 'idle') throw new InexpressibleStep('it was not carried out');
    this.#write(step, expectedOf(result, this.#references));
    this.#references.keepTokens();
  }

  #write(step: Step, expected: Expected): void {
    const { do: verb, by = '', with: args } = step;
    switch (verb) {
      case 'signIn':
        return this.#signIn(step, expected);
      case 'send':
        return this.#send(step, expected);
      case 'verify':
      case 'allow':
        return this.#put(step, { [`${by}.${verb}`]: this.#references.json(args) }, expected);
      case 'time.advance':
        return this.#put(step, { [verb]: args['by'] }, expected);
      case 'review.policy':
        return this.#put(step, { [verb]: args['policy'] }, expected);
      case 'oracle':
        this.#put(step, { 'oracle.outage': args['state'] === 'out' }, {});
        return this.#put(step, { 'oracle.stale': args['state'] === 'stale' }, expected);
      case 'snapshot':
        return this.#put(step, { snapshot: `s${step.id}` }, expected);
      case 'revert':
        return this.#put(step, { revert: /\w+/.exec(args['to'] as string)?.[0] }, expected);
      case 'drain':
      case 'kill':
      case 'overlap':
      case 'reload':
      case 'twin':
        throw new InexpressibleStep('a scenario has no verb for it');
      default:
        if (Object.hasOwn(VERB_NAMES, verb)) return this.#call(step, expected);
        return this.#put(step, { [verb]: this.#references.json(args) }, expected);
    }
  }

  /** Adds a step to the scenario and makes its values available to later steps; a complete sign-in ends with its token. */
  #put({ id, do: verb }: Step, written: WrittenStep, expected: Expected): void {
    if (Object.keys(expected).length > 0) written['expect'] = expected;
    for (const name of this.#runner.memory.paths.keys())
      if (name.startsWith(`s${id}.`) && (verb !== 'signIn' || name === `s${id}.token`))
        this.#references.offer(name, written);
    this.steps.push(written);
  }

  #signIn(step: Step, expected: Expected): void {
    const { id, by = '' } = step;
    const [challenge, token] = [`s${id}.challenge`, `s${id}.token`];
    const { paths } = this.#runner.memory;
    if (!this.#challenges.has(challenge) || !paths.has(challenge)) {
      this.#put(step, { [`${by}.signIn`]: {} }, expected);
      if (paths.has(token)) this.#references.ownTokens.set(by, token);
      return;
    }
    const asked: WrittenStep = { [`${by}.challenge`]: {} };
    this.#references.offer(challenge, asked);
    this.steps.push(asked);
    const message = this.#references.saved(challenge);
    this.#put(step, { [`${by}.verify`]: { message } }, expected);
  }

  /** Gives an agent the other network's USDC by a transaction when it is first needed. */
  #giveOther(owner: string): void {
    if (this.#haveOther.has(owner)) return;
    this.#haveOther.add(owner);
    const { do: verb, with: args } = otherUsdc(owner, OTHER_USDC, this.#runner.world.modelConfig.variants);
    this.steps.push({ [verb]: args });
  }

  #send(step: Step, expected: Expected): void {
    const { by = '', with: args } = step;
    const { transfers, ...more } = this.#references.json(args) as unknown as {
      transfers: readonly Written[];
    };
    for (const { token, of = `\${${by}}` } of transfers) if (token === 'other') this.#giveOther(of);
    const exact = transfers.map((each) => ({
      ...each,
      amount: Number(each.amount.toFixed(DECIMALS[digitsOf(each.token)])),
    }));
    const said = exact.length === 1 ? exact[0] : { transfers: exact };
    this.#put(step, { [`${by}.send`]: { ...said, ...more, untried: true } }, expected);
  }

  #call(step: Step, expected: Expected): void {
    const mishap = step.with['mishap'] as Mishap | undefined;
    const { variants } = this.#runner.world.modelConfig;
    const written = callStep(step, variants, this.#references);
    if (mishap === undefined) return this.#put(step, written, expected);
    const fault = { endpoint: step.do, when: { nth: 1 }, ...MISHAPS[mishap] };
    this.steps.push({ 'fault.add': fault });
    this.#put(step, written, expected);
    this.steps.push({ 'fault.clear': {} });
  }
}
