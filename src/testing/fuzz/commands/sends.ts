import type { Outgoing } from '../../../sdk/client/outgoing.js';
import { amountNear, roundAmount, unitsOf } from '../amounts.js';
import type { Random } from '../dice.js';
import type { Transfer } from '../model/ports.js';
import type { Played, ModelRunner } from '../play/player.js';
import type { Args, Step } from '../step.js';
import type { Command, Drawn } from './command.js';

/** A transfer as a step has it. */
interface Written {
  readonly to: string;
  readonly token: Transfer['token'];
  /** Token units; those of the other mint have six decimals too. */
  readonly amount: number;
  /** The agent whose tokens they are, when it lets the sender. */
  readonly of?: string;
}

function digitsOf(token: Transfer['token']): 'USDC' | 'SOL' {
  return token === 'SOL' || token === 'wrapped' ? 'SOL' : 'USDC';
}

function tokenFor(dice: Random): Transfer['token'] {
  const how = dice.below(100);
  if (how < 62) return 'USDC';
  if (how < 90) return 'SOL';
  return how < 95 ? 'other' : 'wrapped';
}

function destinationFor(dice: Random, player: ModelRunner): string {
  const how = dice.below(100);
  if (how < 62) return '${treasury}';
  const name = dice.pick(player.names);
  return how < 88 ? `\${${name}.collection}` : `\${${name}}`;
}

/** More than anybody has: such a transfer fails. */
const TOO_MUCH = 5_000_000;
/** Deposits that let an agent go to its limits. */
const USUAL = [100, 500, 1_000, 1_500, 2_500, 5_000, 0.000001, 1, 7.25, 20_000];
const USUAL_SOL = [0.01, 0.5, 1, 2, 5, 6.666666667, 10, 0.000000001];

function amountFor(token: Transfer['token'], dice: Random): number {
  if (dice.chance(2)) return TOO_MUCH;
  const isSol = digitsOf(token) === 'SOL';
  if (dice.chance(70)) return dice.pick(isSol ? USUAL_SOL : USUAL);
  const near = dice.draw(amountNear([1_000_000_000n], isSol ? 'SOL' : 'USDC'));
  return isSol ? near : dice.chance(50) ? dice.draw(roundAmount) : near;
}

function drawSend(dice: Random, player: ModelRunner): Drawn {
  const by = dice.pick(player.names);
  const count = dice.chance(85) ? 1 : 2 + dice.below(2);
  const transfers = Array.from({ length: count }, (): Written => {
    const token = tokenFor(dice);
    return { to: destinationFor(dice, player), token, amount: amountFor(token, dice) };
  });
  const lender = player.memory.allowances.find(({ delegate }) => delegate === by);
  const borrowed = lender !== undefined && dice.chance(40);
  const list = borrowed
    ? transfers.map((each) => (each.token === 'USDC' ? { ...each, of: lender.owner } : each))
    : transfers;
  // A second signature, of somebody who pays nothing.
  const also = dice.chance(4) ? { cosigner: dice.pick(player.names) } : {};
  return { do: 'send', by, with: { transfers: list.map((each) => ({ ...each })), ...also } };
}

function outgoingOf(written: Written, player: ModelRunner): Outgoing {
  const { to, token, amount, of } = written;
  const amountBase = unitsOf(amount, digitsOf(token));
  if (token === 'SOL') return { kind: 'sol', to, amountBase };
  if (token === 'wrapped') return { kind: 'wrapped', to, amountBase };
  const mint = token === 'other' ? player.world.otherMint : player.world.setting.usdcMint;
  const from = of === undefined ? {} : { from: player.address(of) };
  return { kind: 'token', to, amountBase, mint, ...from };
}

function transferOf({ to, token, amount, of }: Written, by: string, player: ModelRunner): Transfer {
  return { from: player.address(of ?? by), to, token, amountBase: unitsOf(amount, digitsOf(token)) };
}

/** Runs a transaction of an agent's wallet, and tells the model of it. */
async function transact(
  step: Step,
  player: ModelRunner,
  { outgoing, transfers }: { outgoing: readonly Outgoing[]; transfers: readonly Transfer[] },
): Promise<Played> {
  const { world, memory } = player;
  const by = step.by ?? '';
  const { cosigner } = step.with;
  const cosigners = typeof cosigner === 'string' ? [player.wallet(cosigner)] : [];
  // A transfer of nothing cannot be written down in this chain's tokens; who tries is told by the chain.
  const ran = await world.send(player.wallet(by), outgoing, { isTried: false, cosigners });
  if ('refused' in ran) return { outcome: 'refused', deviation: null };
  player.model.sent({ ...ran, transfers });
  player.countFunds();
  const reference = player.keep(step, 'signature', ran.signature);
  if (transfers.length > 0)
    memory.transactions.push({
      reference,
      signature: ran.signature,
      by,
      transfers: ran.hasFailed ? [] : transfers,
    });
  return { outcome: ran.hasFailed ? 'failed' : 'ok', deviation: null };
}

/** Money on chain: to the treasury or past it, of the right mint or another, several transfers at once, some that fail. */
export const SEND: Command = {
  name: 'send',
  weight: 14,
  draw: drawSend,
  play: (step, player) => {
    const { transfers } = player.resolve(step.with) as unknown as { transfers: readonly Written[] };
    const by = step.by ?? '';
    return transact(step, player, {
      outgoing: transfers.map((each) => outgoingOf(each, player)),
      transfers: transfers.map((each) => transferOf(each, by, player)),
    });
  },
};

function drawAllow(dice: Random, player: ModelRunner): Drawn | null {
  const by = dice.pick(player.names);
  const others = player.names.filter((name) => name !== by);
  if (others.length === 0) return null;
  const args: Args = { delegate: dice.pick(others), amount: dice.pick([100, 1_000, 5_000]) };
  return { do: 'allow', by, with: args };
}

/** Lets another agent send one's own USDC: money that its owner has not signed away. */
export const ALLOW: Command = {
  name: 'allow',
  weight: 1,
  draw: drawAllow,
  play: async (step, player) => {
    const { delegate, amount } = step.with as { delegate: string; amount: number };
    const owner = step.by ?? '';
    const approval: Outgoing = {
      kind: 'approve',
      delegate: player.address(delegate),
      amountBase: unitsOf(amount, 'USDC'),
      mint: player.world.setting.usdcMint,
    };
    const played = await transact(step, player, { outgoing: [approval], transfers: [] });
    if (played.outcome === 'ok') player.memory.allowances.push({ owner, delegate });
    return played;
  },
};
