import type { Variants } from '../../../core/domain/variants.js';
import { byVerb } from '../commands/command.js';
import { COMMANDS } from '../commands/commands.js';
import { otherUsdc } from '../commands/operator.js';
import type { Written } from '../commands/sends.js';
import type { Step } from '../step.js';
import { MISHAPS, type Mishap } from '../world.js';
import type { PlayedStep } from './played-step.js';
import { CallWriter } from './scenario-calls.js';
import type { Expected } from './scenario-expect.js';
import { InexpressibleStep, type References } from './scenario-references.js';
import { VERB_NAMES, type WrittenStep } from '../../scenario/file/write.js';

const OTHER_USDC = 100_000;
/** Operations whose result depends on the number of transactions of a wallet. */
const SCORED: readonly string[] = ['profile', 'eligibility', 'loanApply'];

const BUILT_IN = byVerb(COMMANDS);

export class StepWriter {
  readonly steps: WrittenStep[] = [];
  readonly #references: References;
  readonly #calls: CallWriter;
  /** Challenges of complete sign-ins that later steps refer to. */
  readonly #challenges: ReadonlySet<string>;
  readonly #haveOther = new Set<string>();
  readonly #variants: Variants;

  constructor(all: readonly Step[], variants: Variants, references: References) {
    this.#references = references;
    this.#calls = new CallWriter(variants, references);
    const texts = JSON.stringify(all.map((step) => step.with));
    this.#challenges = new Set([...texts.matchAll(/\$\{(s\d+\.challenge)\}/g)].map(([, name]) => name ?? ''));
    this.#variants = variants;
  }

  /** Writes one step. Throws InexpressibleStep. */
  add(at: PlayedStep, expected: Expected): void {
    this.#references.tokens = at.tokens;
    const { step } = at;
    const { do: verb, by = '', with: args } = step;
    if (!BUILT_IN.has(verb)) throw new InexpressibleStep('it is a custom command');
    if (this.#haveOther.size > 0 && SCORED.includes(verb))
      throw new InexpressibleStep('a transaction of the scenario alone would count');
    if (at.played.outcome === 'idle') throw new InexpressibleStep('it was not carried out');
    switch (verb) {
      case 'signIn':
        return this.#signIn(at, expected);
      case 'send':
        return this.#send(at, expected);
      case 'verify':
      case 'allow':
        return this.#put(at, { [`${by}.${verb}`]: this.#references.json(args) }, expected);
      case 'time.advance':
        return this.#put(at, { [verb]: args['by'] }, expected);
      case 'review.policy':
        return this.#put(at, { [verb]: args['policy'] }, expected);
      case 'oracle':
        this.#put(at, { 'oracle.outage': args['state'] === 'out' }, {});
        return this.#put(at, { 'oracle.stale': args['state'] === 'stale' }, expected);
      case 'snapshot':
        return this.#put(at, { snapshot: `s${step.id}` }, expected);
      case 'revert':
        return this.#put(at, { revert: /\w+/.exec(args['to'] as string)?.[0] }, expected);
      case 'drain':
      case 'kill':
      case 'overlap':
      case 'reload':
      case 'twin':
        throw new InexpressibleStep('a scenario has no verb for it');
      default:
        if (Object.hasOwn(VERB_NAMES, verb)) return this.#call(at, expected);
        return this.#put(at, { [verb]: this.#references.json(args) }, expected);
    }
  }

  /** Adds a step to the scenario and makes its values available to later steps. */
  #put(at: PlayedStep, written: WrittenStep, expected: Expected): void {
    if (Object.keys(expected).length > 0) written['expect'] = expected;
    for (const kept of at.kept) this.#references.offer(kept, written);
    this.steps.push(written);
  }

  #signIn(at: PlayedStep, expected: Expected): void {
    const { by = '' } = at.step;
    const [challenge, token] = ['challenge', 'token'].map((what) =>
      at.kept.find(({ name }) => name === `s${at.step.id}.${what}`),
    );
    const kept = token === undefined ? [] : [token];
    if (challenge === undefined || !this.#challenges.has(challenge.name)) {
      this.#put({ ...at, kept }, { [`${by}.signIn`]: {} }, expected);
      if (token !== undefined) this.#references.ownTokens.set(by, token.name);
      return;
    }
    const asked: WrittenStep = { [`${by}.challenge`]: {} };
    this.#references.offer(challenge, asked);
    this.steps.push(asked);
    const message = this.#references.saved(challenge.name);
    this.#put({ ...at, kept }, { [`${by}.verify`]: { message } }, expected);
  }

  /** Gives an agent the other network's USDC by a transaction when it is first needed. */
  #giveOther(owner: string): void {
    if (this.#haveOther.has(owner)) return;
    this.#haveOther.add(owner);
    const { do: verb, with: args } = otherUsdc(owner, OTHER_USDC, this.#variants);
    this.steps.push({ [verb]: args });
  }

  #send(at: PlayedStep, expected: Expected): void {
    const { by = '', with: args } = at.step;
    const { transfers, ...more } = this.#references.json(args) as unknown as {
      transfers: readonly Written[];
    };
    for (const { token, of = `\${${by}}` } of transfers) if (token === 'other') this.#giveOther(of);
    const said = transfers.length === 1 ? transfers[0] : { transfers };
    this.#put(at, { [`${by}.send`]: { ...said, ...more, untried: true } }, expected);
  }

  #call(at: PlayedStep, expected: Expected): void {
    const { step } = at;
    const mishap = step.with['mishap'] as Mishap | undefined;
    const written = this.#calls.step(step);
    if (mishap === undefined) return this.#put(at, written, expected);
    const fault = { endpoint: step.do, when: { nth: 1 }, ...MISHAPS[mishap] };
    this.steps.push({ 'fault.add': fault });
    this.#put(at, written, expected);
    this.steps.push({ 'fault.clear': {} });
  }
}
