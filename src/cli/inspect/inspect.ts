import { LIMITS } from '../../core/limits.js';
import { textOf } from '../../core/request-body.js';
import { MAX_LOG_BYTES, readUserFile, tooLarge } from '../../core/user-file.js';
import { isState } from '../../persistence/state-file/file.js';
import type { Simulator } from '../../simulator/simulator.js';
import { isRecording, readRecording } from '../../recording/replay/read-recording.js';
import { isFailure, readFailure } from '../../testing/fuzz/failure/failure-file.js';
import { replayedWorld } from '../../testing/fuzz-replay.js';
import { replayError } from '../fuzz/failures.js';
import { verdictText } from '../fuzz/replay.js';
import { replayRecording } from '../../recording/replay/replay.js';
import { type Interrupts, interruptible, untilAborted } from '../interrupts.js';
import { UsageError, wholeNumber } from '../usage.js';
import { HISTORY, listening, worldOf } from '../world.js';
import type { RunningServer } from '../../api/server.js';

/** Serves a view of the inspector until `signal` is aborted, and prints its address. Throws UsageError for a port in use. */
export async function serveUntilStopped(
  listen: (port: number) => Promise<RunningServer>,
  { port, signal, view = '' }: { port: number; signal: AbortSignal; view?: string },
): Promise<void> {
  const server = await listening({ option: '--port', port, host: '127.0.0.1' }, listen);
  process.stdout.write(`${server.origin}/inspector/${view}\n`);
  process.stderr.write('Open this page in a browser. Stop with Ctrl-C.\n');
  await untilAborted(signal);
  await server.close();
}

/** The world of a counterexample after its replay, and the view of the last request of its failing step. */
async function worldOfFailure(path: string, text: string): Promise<{ sim: Simulator; view: string }> {
  const file = readFailure(text, path);
  const { sim, replayed } = await replayedWorld(file, HISTORY).catch((error: unknown) => {
    throw replayError(path, error);
  });
  process.stderr.write(`${verdictText(file, replayed)}\n`);
  const [last] = sim.history({ limit: 1 }).requests;
  return { sim, view: last === undefined ? 'timeline' : `requests/${last.requestId}` };
}

/** Shows a state file, a recording or a counterexample in the inspector until Ctrl-C. Throws UsageError for other files. */
export async function inspect({ file, port }: { file: string; port: number }): Promise<void> {
  wholeNumber('--port', port, 0, 65_535);
  const bytes = readUserFile(file, LIMITS.stateBytes.most);
  const serve = async ({ signal }: Interrupts): Promise<void> => {
    const show = (sim: Simulator, view = '') =>
      serveUntilStopped((at) => sim.listen({ port: at }), { port, signal, view });
    const showAndClose = async (sim: Simulator, view?: string) => {
      try {
        await show(sim, view);
      } finally {
        await sim.close();
      }
    };
    if (isState(bytes))
      return showAndClose(await worldOf({ state: bytes, time: 'frozen', history: HISTORY }, {}, file));
    if (bytes.length > MAX_LOG_BYTES) throw tooLarge(file, MAX_LOG_BYTES);
    const text = textOf(bytes);
    if (isFailure(text)) {
      const { sim, view } = await worldOfFailure(file, text);
      return showAndClose(sim, view);
    }
    if (!isRecording(text))
      throw new UsageError(`${file}: expected a state file, a recording, or a counterexample of sim fuzz`);
    const atEnd = (sim: Simulator) => {
      sim.setTime('frozen');
      return show(sim);
    };
    await replayRecording(readRecording(text, file), { history: HISTORY, atEnd });
  };
  await interruptible(serve, { isQuiet: true });
}
