import { DECIMALS } from '../amounts.js';
import { byVerb } from '../commands/command.js';
import { COMMANDS } from '../commands/commands.js';
import { otherUsdc } from '../commands/operator.js';
import { type Written, digitsOf } from '../commands/sends.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { StepResult } from '../play/sequence.js';
import type { Step } from '../step.js';
import { MISHAPS, type Mishap } from '../world.js';
import { callStep } from './scenario-calls.js';
import { type Expected, expectedOf } from './scenario-expect.js';
import { InexpressibleStep, type References } from './scenario-references.js';
import { VERB_NAMES, type WrittenStep } from '../../scenario/file/write.js';

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
