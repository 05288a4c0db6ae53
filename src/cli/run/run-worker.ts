import { playScenario } from '../../testing/scenario/play/play.js';
import { followParent } from '../interrupts.js';
import { type RunArguments, playOptionsOf, scenariosOf } from './arguments.js';
import type { FromWorker, ToWorker } from './worker-pool.js';

/** Plays scenarios for the parent process, until that is gone. */
export async function runWorker(args: RunArguments): Promise<void> {
  followParent();
  const say = (message: FromWorker) => process.send?.(message);
  try {
    const scenarios = new Map((await scenariosOf(args)).map((scenario) => [scenario.id, scenario]));
    const options = await playOptionsOf(args);
    process.on('message', ({ play }: ToWorker) => {
      const scenario = scenarios.get(play);
      if (scenario === undefined) {
        say({ kind: 'broken', reason: `${play} no longer exists` });
        return;
      }
      void playScenario(scenario, options).then((result) => say({ kind: 'done', result }));
    });
    say({ kind: 'ready' });
  } catch (error) {
    say({ kind: 'broken', reason: (error as Error).message });
  }
}
