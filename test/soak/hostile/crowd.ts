import type { FetchLike } from '../../../src/core/fetch.js';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { chainAt } from '../../../src/sdk/client/chain-at.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { post } from './calls.js';
import type { OwnAttack, Place } from './place.js';
import type { AttackResult, Target } from './target.js';

/** Number of connections, and duration: `HOSTILE_CROWD_SECONDS=30`. */
const CONNECTIONS = 500;
const SECONDS = Number(process.env['HOSTILE_CROWD_SECONDS'] ?? 5);

const AMOUNT = { amount: 0.01, token: 'USDC' } as const;

/** Makes one deposit, with all requests that it takes. */
type Depositor = (fetchIt: FetchLike) => Promise<unknown>;

/** A new funded wallet. */
async function newWallet({ origin }: Target): Promise<AgentWallet> {
  const answer = await fetch(`${origin}/_sim/v1/wallets`, post('{"SOL":1,"USDC":1000}'));
  return AgentWallet.fromSecretKey(((await answer.json()) as { secretKey: string }).secretKey);
}

/** Deposits by a transfer on chain and a call that records it. */
async function byAgent(target: Target): Promise<Depositor> {
  const { baseUrl, rpcUrl, usdcMint } = target.ready;
  const wallet = await newWallet(target);
  const facts = (await (await fetch(`${baseUrl}/docs`)).json()) as { treasury_address: string };
  let timed: FetchLike = fetch;
  const agent = new AgentClient({ baseUrl, wallet, fetch: (url, init) => timed(url, init) });
  await agent.signIn();
  return async (fetchIt) => {
    timed = fetchIt;
    const transfer = { ...AMOUNT, to: facts.treasury_address, usdcMint };
    await agent.deposit({ ...AMOUNT, tx_signature: await wallet.send(chainAt(rpcUrl), transfer) });
  };
}

/** Deposits by one call of the control interface. */
async function byControl(target: Target): Promise<Depositor> {
  const { address: wallet } = await newWallet(target);
  const request = post(JSON.stringify({ wallet, ...AMOUNT }));
  return async (fetchIt) => {
    const answer = await fetchIt(`${target.origin}/_sim/v1/deposits`, request);
    if (!answer.ok) throw new Error(`a deposit was refused: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
}

async function crowd(place: Place, args: readonly string[], join: typeof byAgent): Promise<AttackResult> {
  const target = await place.start(args);
  const crowded = await Promise.all(Array.from({ length: CONNECTIONS }, () => join(target)));
  const took: number[] = [];
  const timed: FetchLike = async (url, init) => {
    const from = performance.now();
    const answer = await fetch(url, init);
    took.push(performance.now() - from);
    return answer;
  };
  const result = await target.underAttack(async () => {
    const untilMs = performance.now() + SECONDS * 1_000;
    await Promise.all(
      crowded.map(async (deposit) => {
        while (performance.now() < untilMs) await deposit(timed);
      }),
    );
    took.sort((a, b) => a - b);
    const [half, most, all] = [0.5, 0.99, 1].map((part) =>
      took[Math.ceil(part * took.length) - 1]?.toFixed(0),
    );
    return `${took.length} deposits; p50 ${half}, p99 ${most}, max ${all} ms`;
  }, place.round);
  const violations = await target.violations();
  if (violations.length > 0) throw new Error(`the books are not sound: ${JSON.stringify(violations)}`);
  // Other clients queue behind the crowd.
  return { ...result, allowedMs: (took.at(-1) ?? 0) + 500 };
}

/** Many clients that make real deposits at once, each its own. */
export const CROWDS: Readonly<Record<string, OwnAttack>> = {
  '500 agents deposit': (place) => crowd(place, [], byAgent),
  '500 agents deposit, in a folder': (place) => crowd(place, ['--data-dir', place.dir], byAgent),
  '500 deposits by control': (place) => crowd(place, [], byControl),
  '500 deposits by control, in a folder': (place) => crowd(place, ['--data-dir', place.dir], byControl),
};
