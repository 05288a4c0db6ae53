import fc from 'fast-check';
import { amountOf } from '../amounts.js';
import { type Draw, chance, composed } from '../draw.js';
import type { KnownTransaction } from '../play/memory.js';
import type { ModelRunner } from '../play/model-runner.js';
import { isOpenLoan } from './actors.js';
import { cameTo, payingBody } from './aims.js';
import type { Command, Drawn } from './command.js';

/** How many of the most recently recorded transactions are worth another attempt. */
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

/** Draws a call with an already recorded transaction: for the same purpose or another, by its sender or another agent. */
function drawReplay(draw: Draw, runner: ModelRunner): Drawn | null {
  if (draw(chance(25))) return drawTriedRequest(draw, runner);
  const { transactions, recorded, loans } = runner.memory;
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

/** Draws replays, which are steps of the operations that they attempt. */
export const REPLAY: Command = {
  name: 'replay',
  verbs: [],
  weight: 3,
  draw: (runner) => composed((draw) => drawReplay(draw, runner)),
  play: () => Promise.reject(new Error('replays are played as steps of their operations')),
};
