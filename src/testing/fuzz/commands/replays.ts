import fc from 'fast-check';
import { amountOf } from '../amounts.js';
import { type Draw, chance, composed } from '../draw.js';
import type { KeyedCall, KnownTransaction, ModelRunner } from '../play/model-runner.js';
import { DAY } from '../spans.js';
import { hasUnderWay, isOpenLoan } from './actors.js';
import { cameTo, payingBody } from './aims.js';
import type { Command, Drawn } from './command.js';

/** How many of the latest recorded transactions and failed calls are worth another attempt. */
const LATEST = 4;

function whatCame(transaction: KnownTransaction): { amount: number; token: 'USDC' | 'SOL' } | null {
  const first = transaction.transfers.find(({ token }) => token === 'USDC' || token === 'SOL');
  if (first === undefined) return null;
  const token = first.token === 'SOL' ? 'SOL' : 'USDC';
  return { amount: amountOf(cameTo(transaction, first.to, token), token), token };
}

/** Draws another payment of a request, by any agent. */
function drawTriedRequest(draw: Draw, runner: ModelRunner): Drawn | null {
  const { requests, triedRequests } = runner.memory;
  const tried = requests.filter(({ reference }) => {
    const header = runner.resolve(reference);
    return typeof header === 'string' && triedRequests.has(header);
  });
  if (tried.length === 0) return null;
  return {
    do: 'x402Pay',
    by: draw(fc.constantFrom(...runner.names)),
    with: { body: payingBody(draw(fc.constantFrom(...tried))) },
  };
}

/** Calls whose Idempotency-Key is a millisecond before, at, or after the end of its life. */
function endingKeys({ memory, world }: ModelRunner): readonly KeyedCall[] {
  return memory.keyed.filter(({ isDone, atMs }) => isDone && Math.abs(atMs + DAY - world.nowMs()) <= 1);
}

function again({ operation, by, args }: KeyedCall): Drawn {
  return { do: operation, by, with: args };
}

/** Draws a call with an already recorded transaction: for the same purpose or another, by its sender or another agent. */
function drawReplay(draw: Draw, runner: ModelRunner): Drawn | null {
  const ending = endingKeys(runner);
  if (ending.length > 0 && draw(chance(80))) return again(draw(fc.constantFrom(...ending)));
  const { transactions, recorded, loans, failed } = runner.memory;
  // What their caller does to learn the outcome.
  const asked = failed.filter(({ args }) => args['key'] !== undefined);
  if (asked.length > 0 && draw(chance(20))) return again(draw(fc.constantFrom(...asked.slice(-LATEST))));
  if (draw(chance(hasUnderWay(runner) ? 60 : 25))) return drawTriedRequest(draw, runner);
  const latest = new Set([...recorded].slice(-LATEST));
  const counted = transactions.filter(({ signature }) => latest.has(signature));
  if (counted.length === 0) return null;
  const transaction = draw(fc.constantFrom(...counted));
  const came = whatCame(transaction);
  if (came === null) return null;
  const by =
    transaction.by !== null && draw(chance(70)) ? transaction.by : draw(fc.constantFrom(...runner.names));
  const { reference } = transaction;
  const mine = loans.filter(({ of }) => of === by);
  const accountState = runner.accountState(by);
  const open = mine.filter((loan) => isOpenLoan(accountState, runner.resolve(loan.reference)));
  // Only an open loan reads the transaction.
  const how =
    open.length > 0 && draw(chance(60))
      ? 'loanRepay'
      : draw(fc.constantFrom('deposit', 'x402Receive', ...(mine.length > 0 ? ['loanRepay'] : [])));
  if (how === 'deposit') return { do: 'deposit', by, with: { body: { ...came, tx_signature: reference } } };
  if (how === 'x402Receive') return { do: 'x402Receive', by, with: { body: { tx_signature: reference } } };
  const params = { id: draw(fc.constantFrom(...(open.length > 0 ? open : mine))).reference };
  return { do: 'loanRepay', by, with: { params, body: { amount: came.amount, txSignature: reference } } };
}

/** Repeats more often when a key ends, and while the outcome of a payment is unknown. */
function timesOfReplay(runner: ModelRunner): number {
  if (endingKeys(runner).length > 0) return 15;
  return hasUnderWay(runner) ? 3 : 1;
}

/** Draws replays, which are steps of the operations that they attempt. */
export const REPLAY: Command = {
  name: 'replay',
  verbs: [],
  weight: 3,
  times: timesOfReplay,
  draw: (runner) => composed((draw) => drawReplay(draw, runner)),
  play: () => Promise.reject(new Error('replays are played as steps of their operations')),
};
