import { AgentClient } from '../../sdk/client/client.js';
import { unitsOf } from '../fuzz/amounts.js';
import { type AgentEnd, type Broken, type RunFacts, factsOf, firstBroken } from './checks.js';
import { CallTrace, type TraceLine } from './call-trace.js';
import type { FoundInAgent } from './found.js';
import { AgentSandbox, type OperationCounts } from './sandbox.js';
import { type AgentPlan, canAllBeGot } from './plan.js';
import type { AgentWorld } from '../drivers/agent-sandbox.js';
import type { AgentTask, AgentUnderTest } from './task.js';

export interface AgentRun {
  readonly broken: Broken | null;
  readonly end: AgentEnd;
  readonly facts: RunFacts;
  readonly calls: number;
  /** Indices, within the plan, of the faults that fired. */
  readonly met: ReadonlySet<number>;
  readonly operations: OperationCounts;
  readonly trace: readonly TraceLine[];
}

function taskOf(world: AgentWorld, plan: AgentPlan, sandbox: AgentSandbox): AgentTask {
  const { baseUrl, sellers } = world;
  const { fetch, sleep } = sandbox;
  const wallet = world.wallet();
  return {
    fetch,
    baseUrl,
    wallet,
    client: new AgentClient({ baseUrl, wallet, fetch }),
    mcp: () => world.mcp(fetch, sleep),
    orders: plan.orders.map(({ seller, maxPrice }, at) => ({
      id: `order-${at + 1}`,
      url: `http://${sellers[seller]?.name ?? ''}.test/goods/order-${at + 1}`,
      maxPrice,
      seller: sellers[seller]?.address ?? '',
    })),
    budget: plan.budget,
    now: () => world.nowMs(),
    sleep,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** How the agent ends. Once the sandbox stops it, it is not awaited: it waits for a response that never comes. */
function endOf(agent: AgentUnderTest, task: AgentTask, sandbox: AgentSandbox): Promise<AgentEnd> {
  const run = async (): Promise<AgentEnd> => {
    try {
      return { kind: 'reported', report: (await agent(task)) ?? {} };
    } catch (error) {
      return { kind: 'threw', message: messageOf(error) };
    }
  };
  return Promise.race([run(), sandbox.stopped.then((why): AgentEnd => ({ kind: 'stopped', why }))]);
}

/** Plays one plan in a fresh world, waits until transfers are settled, and checks the payments. */
export async function playPlan(
  world: AgentWorld,
  agent: AgentUnderTest,
  plan: AgentPlan,
  { limits, mustSucceed }: Pick<FoundInAgent, 'limits' | 'mustSucceed'>,
): Promise<AgentRun> {
  await world.begin(
    plan.orders.map(({ seller, price }, at) => ({
      id: `order-${at + 1}`,
      seller,
      priceBase: unitsOf(price, 'USDC'),
    })),
  );
  const trace = new CallTrace(world);
  const sandbox = new AgentSandbox(world, plan, limits, trace);
  await sandbox.begin();
  const end = await endOf(agent, taskOf(world, plan, sandbox), sandbox);
  await sandbox.close();
  await world.settle();
  const facts = await factsOf(world, plan);
  // Without faults, giving up on an attainable order always breaks a rule.
  const mustGet = canAllBeGot(plan) && (mustSucceed || plan.mishaps.length === 0);
  return {
    broken: firstBroken(facts, { end, budget: plan.budget, mustGet }),
    end,
    facts,
    calls: sandbox.calls,
    met: sandbox.met,
    operations: sandbox.operations,
    trace: trace.lines,
  };
}
