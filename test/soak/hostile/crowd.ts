import type { FetchLike } from '../../../src/core/fetch.js';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { post } from './calls.js';
import type { AttackResult, Target } from './target.js';

const AGENTS = 500;
/** For other durations: `HOSTILE_CROWD_SECONDS=30`. */
const SECONDS = Number(process.env['HOSTILE_CROWD_SECONDS'] ?? 5);

/** Many agents that deposit at once, each from its own funded wallet by transfers on chain. */
export async function crowd(target: Target): Promise<AttackResult> {
  const { baseUrl } = target.ready;
  const took: number[] = [];
  const timed: FetchLike = async (url, init) => {
    const from = performance.now();
    const answer = await fetch(url, init);
    took.push(performance.now() - from);
    return answer;
  };
  const joined = async () => {
    const answer = await fetch(`${target.origin}/_sim/v1/wallets`, post('{"SOL":1,"USDC":1000}'));
    const { secretKey } = (await answer.json()) as { secretKey: string };
    const agent = new AgentClient({ baseUrl, wallet: AgentWallet.fromSecretKey(secretKey), fetch: timed });
    await agent.signIn();
    return agent;
  };
  const agents = await Promise.all(Array.from({ length: AGENTS }, joined));
  took.length = 0;
  const result = await target.underAttack(async () => {
    const untilMs = performance.now() + SECONDS * 1_000;
    await Promise.all(
      agents.map(async (agent) => {
        while (performance.now() < untilMs) await agent.fund(0.01, 'USDC');
      }),
    );
  });
  took.sort((a, b) => a - b);
  const [half = 0, most = 0, all = 0] = [0.5, 0.99, 1].map((part) => took[Math.ceil(part * took.length) - 1]);
  const told = `${took.length} requests; p50 ${half.toFixed(0)}, p99 ${most.toFixed(0)}, max ${all.toFixed(0)} ms`;
  // Other clients queue behind the crowd.
  return { ...result, told, allowedMs: all + 500 };
}
