import fc from 'fast-check';
import type { Outgoing } from '../../../sdk/client/outgoing.js';
import { amountNear, roundAmount, unitsOf } from '../amounts.js';
import { type Draw, chance, composed, weighted } from '../draw.js';
import type { SeenTransaction, Transfer } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Step } from '../step.js';
import type { RanTransaction } from '../world.js';
import type { Command, Drawn } from './command.js';

/** A transfer in the notation of a step. */
export interface Written {
  readonly to: string;
  readonly token: Transfer['token'];
  /** In token units; the other mint also has six decimals. */
  readonly amount: number;
  /** Address of the tokens' owner: an agent that made the sender its delegate, or the cosigner. */
  readonly of?: string;
}

export function digitsOf(token: Transfer['token']): 'USDC' | 'SOL' {
  return token === 'SOL' || token === 'wrapped' ? 'SOL' : 'USDC';
}

const TOKENS = weighted<Transfer['token']>([
  ['USDC', 62],
  ['SOL', 28],
  ['other', 5],
  ['wrapped', 5],
]);

function destinationFor({ names }: ModelRunner): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names);
  return fc.oneof(
    { weight: 62, arbitrary: fc.constant('${treasury}') },
    { weight: 26, arbitrary: name.map((each) => `\${${each}.collection}`) },
    { weight: 12, arbitrary: name.map((each) => `\${${each}}`) },
  );
}

/** More than any balance, so the transfer fails. */
const TOO_MUCH = 5_000_000;
/** Deposits that bring an agent near its limits. */
const USUAL = [100, 500, 1_000, 1_500, 2_500, 5_000, 0.000001, 1, 7.25, 20_000];
const USUAL_SOL = [0.01, 0.5, 1, 2, 5, 6.666666667, 10, 0.000000001];

function amountFor(token: Transfer['token']): fc.Arbitrary<number> {
  const digits = digitsOf(token);
  const near = amountNear([1_000_000_000n], digits);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(TOO_MUCH) },
    { weight: 69, arbitrary: fc.constantFrom(...(digits === 'SOL' ? USUAL_SOL : USUAL)) },
    { weight: 29, arbitrary: digits === 'SOL' ? near : fc.oneof(near, roundAmount) },
  );
}

/** Number of transfers in a transaction: mostly one. */
const COUNT = weighted([
  [1, 85],
  [2, 7.5],
  [3, 7.5],
]);

function drawSend(draw: Draw, runner: ModelRunner): Drawn {
  const by = draw(fc.constantFrom(...runner.names));
  const together = draw(destinationFor(runner));
  const transfers = Array.from({ length: draw(COUNT) }, (_, at): Written => {
    const token = draw(TOKENS);
    // Half of the additional transfers go to the same address, which then receives several tokens at once.
    const to = at === 0 || draw(chance(50)) ? together : draw(destinationFor(runner));
    return { to, token, amount: draw(amountFor(token)) };
  });
  const lender = runner.memory.allowances.find(({ delegate }) => delegate === by)?.owner;
  const cosigner = draw(chance(6)) ? draw(fc.constantFrom(...runner.names)) : null;
  // Two wallets that pay together send one token to one address.
  const [first] = transfers;
  if (cosigner !== null && first?.token === 'USDC' && draw(chance(40)))
    transfers.push({ ...first, amount: draw(amountFor('USDC')) });
  // A cosigner pays a part, or signs without paying.
  const of = cosigner !== null && draw(chance(60)) ? cosigner : draw(chance(40)) ? lender : undefined;
  const list = transfers.map((each, at) =>
    of !== undefined && each.token === 'USDC' && (of !== cosigner || at !== 1)
      ? { ...each, of: `\${${of}}` }
      : each,
  );
  const also = cosigner === null ? {} : { cosigners: [cosigner] };
  return { do: 'send', by, with: { transfers: list.map((each) => ({ ...each })), ...also } };
}

function outgoingOf(written: Written, runner: ModelRunner): Outgoing {
  const { to, token, amount, of } = written;
  const amountBase = unitsOf(amount, digitsOf(token));
  if (token === 'SOL') return { kind: 'sol', to, amountBase };
  if (token === 'wrapped') return { kind: 'wrapped', to, amountBase };
  const mint = token === 'other' ? runner.world.otherMint : runner.world.modelConfig.usdcMint;
  const from = of === undefined ? {} : { from: of };
  return { kind: 'token', to, amountBase, mint, ...from };
}

function transferOf({ to, token, amount, of }: Written, by: string, runner: ModelRunner): Transfer {
  return { from: of ?? runner.address(by), to, token, amountBase: unitsOf(amount, digitsOf(token)) };
}

type Sent = Pick<SeenTransaction, 'transfers' | 'delegate'>;

/** Executes a transaction of an agent's wallet and reports it to the model. */
async function transact(
  step: Step,
  runner: ModelRunner,
  { outgoing, ...more }: Sent & { readonly outgoing: readonly Outgoing[] },
): Promise<Played> {
  const { world } = runner;
  const by = step.by ?? '';
  const { cosigners = [] } = step.with as { cosigners?: readonly string[] };
  const others = cosigners.map((name) => runner.wallet(name));
  // The chain's token program rejects transfers of 0; the attempt ends as a refusal.
  const ran = await world.send(runner.wallet(by), outgoing, { isTried: false, cosigners: others });
  if ('refused' in ran) return { outcome: 'refused', deviation: null };
  return reported(step, runner, ran, more);
}

/** Reports an executed transaction to the model, and stores it for later steps. */
export function reported(
  step: Step,
  runner: ModelRunner,
  ran: RanTransaction,
  { transfers, delegate }: Sent,
): Played {
  runner.model.sent({ ...ran, transfers, delegate });
  runner.countFunds();
  const reference = runner.keep(step, 'signature', ran.signature);
  if (transfers.length > 0) {
    const mentioned = [...ran.signers, ...transfers.map(({ from }) => from)].map((each) =>
      runner.nameOf(each),
    );
    runner.memory.transactions.push({
      reference,
      signature: ran.signature,
      by: step.by ?? null,
      others: runner.names.filter((name) => name !== step.by && mentioned.includes(name)),
      transfers: ran.hasFailed ? [] : transfers,
    });
  }
  return { outcome: ran.hasFailed ? 'failed' : 'ok', deviation: null };
}

/** Transfers on chain: to the treasury or elsewhere, with the right mint or another, several at once, some that fail. */
export const SEND: Command = {
  name: 'send',
  weight: 14,
  draw: (runner) => composed((draw) => drawSend(draw, runner)),
  play: (step, runner) => {
    const { transfers } = runner.resolve(step.with) as unknown as { transfers: readonly Written[] };
    const by = step.by ?? '';
    return transact(step, runner, {
      outgoing: transfers.map((each) => outgoingOf(each, runner)),
      transfers: transfers.map((each) => transferOf(each, by, runner)),
    });
  },
};

function allowances({ names }: ModelRunner): fc.Arbitrary<Drawn | null> {
  if (names.length === 1) return fc.constant(null);
  return fc
    .record({
      by: fc.constantFrom(...names),
      further: fc.integer({ min: 1, max: names.length - 1 }),
      amount: fc.constantFrom(100, 1_000, 5_000),
    })
    .map(({ by, further, amount }) => {
      const delegate = names[(names.indexOf(by) + further) % names.length] as string;
      return { do: 'allow', by, with: { delegate: `\${${delegate}}`, amount } };
    });
}

/** Approves another agent as delegate of an agent's USDC, so that money moves without its owner's signature. */
export const ALLOW: Command = {
  name: 'allow',
  weight: 1,
  draw: allowances,
  play: async (step, runner) => {
    const { delegate, amount } = runner.resolve(step.with) as { delegate: string; amount: number };
    const approval: Outgoing = {
      kind: 'approve',
      delegate,
      amountBase: unitsOf(amount, 'USDC'),
      mint: runner.world.modelConfig.usdcMint,
    };
    const played = await transact(step, runner, { outgoing: [approval], transfers: [], delegate });
    const name = runner.nameOf(delegate);
    if (played.outcome === 'ok' && name !== null)
      runner.memory.allowances.push({ owner: step.by ?? '', delegate: name });
    return played;
  },
};
