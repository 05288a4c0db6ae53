import type { Variants } from '../../../core/domain/variants.js';
import { amountOf, unitsOf } from '../amounts.js';
import { COMMANDS } from '../commands/commands.js';
import { type Gift, faucetBody } from '../commands/operator.js';
import { type Written, digitsOf } from '../commands/sends.js';
import type { Step } from '../step.js';
import { MISHAPS, type Mishap } from '../world.js';
import type { PlayedStep } from './played-step.js';
import { durationText, operatorStep } from './scenario-operator.js';
import { CallWriter } from './scenario-calls.js';
import type { Expected } from './scenario-expect.js';
import { InexpressibleStep, type References } from './scenario-references.js';
import type { WrittenStep } from '../../scenario/file/write.js';

/** Well-formed but never valid. */
const WRONG_SIGNATURE = '2'.repeat(88);
/** In millionths. */
const OTHER_MINT_UNITS = 100_000_000_000;
/** Operations whose result depends on the number of transactions of a wallet. */
const SCORED: readonly string[] = ['profile', 'eligibility', 'loanApply'];

/** Whether this is a built-in command that no custom command replaces. */
function isKnown({ do: name }: Step): boolean {
  return COMMANDS.some((command) => command.name === name);
}

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
    const { by, with: args } = step;
    if (!isKnown(step)) throw new InexpressibleStep('it is a custom command');
    if (this.#haveOther.size > 0 && SCORED.includes(step.do))
      throw new InexpressibleStep('a transaction of the scenario alone would count');
    if (at.played.outcome === 'idle') throw new InexpressibleStep('it was not carried out');
    const byOperator = operatorStep(step, this.#references);
    if (byOperator !== null) return this.#put(at, byOperator, expected);
    switch (step.do) {
      case 'signIn':
        return this.#signIn(at, expected);
      case 'verify':
        return this.#verify(at, expected);
      case 'send':
        return this.#send(at, expected);
      case 'faucet': {
        const gift = args as unknown as Gift;
        return this.#put(at, this.#faucet({ ...gift, to: this.#references.text(gift.to) }), expected);
      }
      case 'allow': {
        const { delegate, amount } = args as { delegate: string; amount: number };
        return this.#put(at, { [`${by}.allow`]: { delegate: `\${${delegate}}`, amount } }, expected);
      }
      case 'advance':
        return this.#advance(at, expected);
      case 'oracle':
        this.#put(at, { 'oracle.outage': args['state'] === 'out' }, {});
        return this.#put(at, { 'oracle.stale': args['state'] === 'stale' }, expected);
      case 'snapshot':
        return this.#put(at, { snapshot: `s${step.id}` }, expected);
      case 'drain':
      case 'kill':
      case 'overlap':
      case 'reload':
      case 'twin':
        throw new InexpressibleStep('a scenario has no verb for it');
      case 'revert': {
        const [, name = ''] = /^\$\{(\w+)\.snapshot\}$/.exec(args['to'] as string) ?? [];
        return this.#put(at, { revert: name }, expected);
      }
      default:
        return this.#call(at, expected);
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

  #verify(at: PlayedStep, expected: Expected): void {
    const { step } = at;
    const { wallet = '', message = '', change } = step.with as Record<string, string>;
    const references = this.#references;
    const said: Record<string, string> = {
      wallet: references.text(wallet),
      message: references.text(message) + (change === 'message' ? '2' : ''),
    };
    if (change === 'empty') said['signature'] = '';
    if (change === 'signature' || change === 'message') said['signature'] = WRONG_SIGNATURE;
    this.#put(at, { [`${step.by}.verify`]: said }, expected);
  }

  /** Gives an agent the other network's USDC by a transaction when it is first needed. */
  #giveOther(agent: string): void {
    if (this.#haveOther.has(agent)) return;
    this.#haveOther.add(agent);
    this.steps.push(this.#faucet({ to: `\${${agent}}`, token: 'other', units: OTHER_MINT_UNITS }));
  }

  #faucet(gift: Gift): WrittenStep {
    return { control: { do: 'faucet', body: faucetBody(gift, this.#variants) } };
  }

  #send(at: PlayedStep, expected: Expected): void {
    const { step } = at;
    const references = this.#references;
    const { transfers, cosigner } = step.with as unknown as {
      transfers: readonly Written[];
      cosigner?: string;
    };
    const said = transfers.map(({ to, token, amount, of }) => {
      const digits = digitsOf(token);
      if (token === 'other') this.#giveOther(of ?? step.by ?? '');
      const units = unitsOf(amount, digits);
      if (units <= 0n) throw new InexpressibleStep('a scenario cannot send an amount of 0');
      return {
        to: references.text(to),
        amount: amountOf(units, digits),
        token,
        ...(of === undefined ? {} : { of: `\${${of}}` }),
      };
    });
    const [only] = said;
    const args = {
      ...(said.length === 1 ? only : { transfers: said }),
      ...(cosigner === undefined ? {} : { cosigners: [cosigner] }),
      untried: true,
    };
    this.#put(at, { [`${step.by}.send`]: args }, expected);
  }

  #advance(at: PlayedStep, expected: Expected): void {
    const ms = at.step.with['ms'] as number;
    if (ms === 0) throw new InexpressibleStep('no time passes');
    const isWhole = Number.isSafeInteger(ms) && ms > 0;
    const to = isWhole ? durationText(ms) : { to: new Date(at.nowMs).toISOString() };
    this.#put(at, { 'time.advance': to }, expected);
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
