import type { ControlCall } from '../model/types.js';
import type { ModelRunner, Played } from '../play/model-runner.js';

/** Runs a command of the control interface in both the world and its model. */
export async function operate(call: ControlCall, { world, model }: ModelRunner): Promise<Played> {
  const response = await world.control(call);
  const deviation = model.operate(call).judge(response);
  const { code } = (response.body ?? {}) as { code?: unknown };
  return { outcome: response.status === 200 ? 'ok' : String(code), deviation };
}
