import { defaultEngine } from '../../chain/engines/native.js';
import { describe, it } from 'vitest';
import type { EmbeddedEngineName } from '../../runtime/config.js';
import { findFiles, loadFile } from '../scenario/file/load.js';
import { playScenario } from '../scenario/play/play.js';
import { failureText } from '../scenario/reporters/failure-text.js';
import { PLAIN } from '../scenario/reporters/reporter.js';
import type { ScenarioResult } from '../scenario/results.js';
import { IN_PROCESS } from '../drivers/in-process.js';

export interface ScenarioTestOptions {
  /** Chain engine, unless the scenario sets one. Default: bankrun. */
  readonly engine?: EmbeddedEngineName;
  /** Maximum milliseconds per scenario. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Called with every result. */
  readonly onResult?: (result: ScenarioResult) => void;
}

const COLUMNS = 110;
const TIMEOUT_MS = 60_000;

/**
 * Defines a test for every scenario in these files, folders or globs. Call it at the top level of a test file: `await scenarioTests('scenarios')`. Rejects with BrokenFile, which names line and column.
 */
export async function scenarioTests(
  paths: string | readonly string[],
  options: ScenarioTestOptions = {},
): Promise<void> {
  const folder = process.cwd();
  const { engine = defaultEngine(), timeoutMs = TIMEOUT_MS, onResult } = options;
  const rerun = ({ id }: { id: string }, seed: string | null) =>
    `npx sim run ${id} --seed ${seed} --engine ${engine}`;
  for (const file of await findFiles([paths].flat(), folder)) {
    const scenarios = await loadFile(file, folder);
    describe(file, () => {
      for (const scenario of scenarios)
        it(scenario.name, { timeout: timeoutMs + 1_000 }, async (context) => {
          const played = { target: IN_PROCESS, engine, seed: null, isDetailed: false, timeoutMs, rerun };
          const result = await playScenario(scenario, played);
          onResult?.(result);
          if (result.verdict === 'skipped') context.skip(result.reason ?? undefined);
          if (result.verdict === 'failed')
            throw new Error(failureText(result, { columns: COLUMNS, paint: PLAIN }));
        });
    });
  }
}
