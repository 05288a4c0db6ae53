import type { Outgoing } from '../../../sdk/client/outgoing.js';
import { amountNear, roundAmount, unitsOf } from '../amounts.js';
import type { Random } from '../random.js';
import type { Transfer } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';
import type { RanTransaction } from '../world.js';
import type { Command, Drawn } from './command.js';

/** A transfer in the notation of a step. */
interface Written {
  readonly to: string;
  readonly token: Transfer['token'];
  /** In token units; the other mint also has six decimals. */
  readonly amount: number;
  /** Owner of the tokens: who has made the sender its delegate, or the cosigner. */
  readonly of?: string;
}

function digitsOf(token: Transfer['token']): 'USDC' | 'SOL' {
  return token === 'SOL' || token === 'wrapped' ? 'SOL' : 'USDC';
}

function tokenFor(random: Random): Transfer['token'] {
  const how = random.below(100);
  if (how < 62) return 'USDC';
  if (how < 90) return 'SOL';
  return how < 95 ? 'other' : 'wrapped';
}

function destinationFor(random: Random, runner: ModelRunner): string {
  const how = random.below(100);
  if (how < 62) return '${treasury}';
  const name = random.pick(runner.names);
  return how < 88 ? `\${${name}.collection}` : `\${${name}}`;
}

/** More than any balance: such a transfer fails. */
const TOO_MUCH = 5_000_000;
/** Deposits that bring an agent to its limits. */
const USUAL = [100, 500, 1_000, 1_500, 2_500, 5_000, 0.000001, 1, 7.25, 20_000];
const USUAL_SOL = [0.01, 0.5, 1, 2, 5, 6.666666667, 10, 0.000000001];

function amountFor(token: Transfer['token'], random: Random): number {
  if (random.chance(2)) return TOO_MUCH;
  const isSol = digitsOf(token) === 'SOL';
  if (random.chance(70)) return random.pick(isSol ? USUAL_SOL : USUAL);
  const near = random.draw(amountNear([1_000_000_000n], isSol ? 'SOL' : 'USDC'));
  return isSol ? near : random.chance(50) ? random.draw(roundAmount) : near;
}

function drawSend(random: Random, runner: ModelRunner): Drawn {
  const by = random.pick(runner.names);
  const count = random.chance(85) ? 1 : 2 + random.below(2);
  const together = destinationFor(random, runner);
  const transfers = Array.from({ length: count }, (_, at): Written => {
    const token = tokenFor(random);
    // Half of what is sent besides goes to the same address, which then has received several tokens at once.
    const to = at === 0 || random.chance(50) ? together : destinationFor(random, runner);
    return { to, token, amount: amountFor(token, random) };
  });
  const lender = runner.memory.allowances.find(({ delegate }) => delegate === by)?.owner;
  const cosigner = random.chance(6) ? random.pick(runner.names) : null;
  // What two wallets pay together is of one token, to one address.
  const [first] = transfers;
  if (cosigner !== null && first?.token === 'USDC' && random.chance(40))
    transfers.push({ ...first, amount: amountFor('USDC', random) });
  // A cosigner pays a part, or signs for nothing.
  const of = cosigner !== null && random.chance(60) ? cosigner : random.chance(40) ? lender : undefined;
  const list = transfers.map((each, at) =>
    of !== undefined && each.token === 'USDC' && (of !== cosigner || at !== 1) ? { ...each, of } : each,
  );
  const also = cosigner === null ? {} : { cosigner };
  return { do: 'send', by, with: { transfers: list.map((each) => ({ ...each })), ...also } };
}

function outgoingOf(written: Written, runner: ModelRunner): Outgoing {
  const { to, token, amount, of } = written;
  const amountBase = unitsOf(amount, digitsOf(token));
  if (token === 'SOL') return { kind: 'sol', to, amountBase };
  if (token === 'wrapped') return { kind: 'wrapped', to, amountBase };
  const mint = token === 'other' ? runner.world.otherMint : runner.world.modelConfig.usdcMint;
  const from = of === undefined ? {} : { from: runner.address(of) };
  return { kind: 'token', to, amountBase, mint, ...from };
}

function transferOf({ to, token, amount, of }: Written, by: string, runner: ModelRunner): Transfer {
  return { from: runner.address(of ?? by), to, token, amountBase: unitsOf(amount, digitsOf(token)) };
}

/** Executes a transaction of an agent's wallet and reports it to the model. */
async function transact(
  step: Step,
  runner: ModelRunner,
  {
    outgoing,
    transfers,
    delegate,
  }: { outgoing: readonly Outgoing[]; transfers: readonly Transfer[]; delegate?: string },
): Promise<Played> {
  const { world } = runner;
  const by = step.by ?? '';
  const { cosigner } = step.with;
  const cosigners = typeof cosigner === 'string' ? [runner.wallet(cosigner)] : [];
  // The chain's token program rejects transfers of 0; the attempt ends as a refusal.
  const ran = await world.send(runner.wallet(by), outgoing, { isTried: false, cosigners });
  if ('refused' in ran) return { outcome: 'refused', deviation: null };
  return reported(step, runner, ran, { transfers, delegate });
}

/** Tells the model and later steps of a transaction that has run. */
export function reported(
  step: Step,
  runner: ModelRunner,
  ran: RanTransaction,
  { transfers, delegate }: { transfers: readonly Transfer[]; delegate?: string | undefined },
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

/** Transfers on chain: to the treasury or elsewhere, of the right mint or another, several at once, some that fail. */
export const SEND: Command = {
  name: 'send',
  weight: 14,
  draw: drawSend,
  play: (step, runner) => {
    const { transfers } = runner.resolve(step.with) as unknown as { transfers: readonly Written[] };
    const by = step.by ?? '';
    return transact(step, runner, {
      outgoing: transfers.map((each) => outgoingOf(each, runner)),
      transfers: transfers.map((each) => transferOf(each, by, runner)),
    });
  },
};

function drawAllow(random: Random, runner: ModelRunner): Drawn | null {
  const by = random.pick(runner.names);
  const others = runner.names.filter((name) => name !== by);
  if (others.length === 0) return null;
  const args: Args = { delegate: random.pick(others), amount: random.pick([100, 1_000, 5_000]) };
  return { do: 'allow', by, with: args };
}

/** Approves another agent as delegate of one's own USDC: money that moves without its owner's signature. */
export const ALLOW: Command = {
  name: 'allow',
  weight: 1,
  draw: drawAllow,
  play: async (step, runner) => {
    const { delegate, amount } = step.with as { delegate: string; amount: number };
    const owner = step.by ?? '';
    const to = runner.address(delegate);
    const approval: Outgoing = {
      kind: 'approve',
      delegate: to,
      amountBase: unitsOf(amount, 'USDC'),
      mint: runner.world.modelConfig.usdcMint,
    };
    const played = await transact(step, runner, { outgoing: [approval], transfers: [], delegate: to });
    if (played.outcome === 'ok') runner.memory.allowances.push({ owner, delegate });
    return played;
  },
};
