import type { Deviation } from '../model/difference.js';
import type { ControlCall } from '../model/types.js';
import type { ModelRunner, Played } from '../play/model-runner.js';

const INSTANTS = '10000';

/** Lets the model learn what walks have published since an instant. Returns how they break their rules; null if they do not. */
export async function learnWalks({ world, model }: ModelRunner, fromMs: number): Promise<Deviation | null> {
  const span = { fromMs, toMs: world.nowMs() };
  for (const of of model.unknown(span)) {
    const query = { ...of, from: new Date(fromMs).toISOString(), limit: INSTANTS };
    const wrong = model.learn(of, span, await world.control({ command: 'oracleHistory', query }));
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Runs a command of the control interface in the world and in its model. */
export async function operate(call: ControlCall, runner: ModelRunner): Promise<Played> {
  const { world, model } = runner;
  const answer = await world.control(call);
  const expected = model.operate(call);
  const deviation = (await learnWalks(runner, world.nowMs())) ?? expected.judge(answer);
  const { code } = (answer.body ?? {}) as { code?: unknown };
  return { outcome: answer.status === 200 ? 'ok' : String(code), deviation };
}
