import { defined } from '../../../core/json.js';
import { type WrittenStep, rawCall, verbCall, VERB_NAMES } from '../../scenario/file/write.js';
import { referencesIn } from '../../scenario/references.js';
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
import { InexpressibleStep, type References } from './scenario-references.js';

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
