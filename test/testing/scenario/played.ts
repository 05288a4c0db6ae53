import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playScenario } from '../../../src/testing/scenario/play/play.js';
import type { PlayOptions } from '../../../src/testing/scenario/play/play-options.js';
import { type ScenarioResult, type StepResult, everyStep } from '../../../src/testing/scenario/results.js';
import type { Scenario } from '../../../src/testing/scenario/scenario.js';
import { readYaml } from '../../../src/testing/scenario/file/yaml.js';
import { IN_PROCESS } from '../../../src/testing/drivers/in-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A file in a folder of its own; its path. */
export function fileWith(text: string, name = 'a.yaml'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** The only scenario of a text. */
export function scenarioOf(text: string): Scenario {
  const [scenario] = readYaml(text, 'a.yaml', '/nowhere/a.yaml');
  if (scenario === undefined) throw new Error('there is no scenario');
  return scenario;
}

export const PLAY_OPTIONS: PlayOptions = {
  target: IN_PROCESS,
  engine: 'litesvm',
  seed: null,
  isDetailed: true,
  timeoutMs: 50_000,
  rerun: ({ id }, seed) => `sim run ${id} --seed ${seed}`,
};

/** Plays the only scenario of a text. */
export function played(text: string, options: Partial<PlayOptions> = {}): Promise<ScenarioResult> {
  return playScenario(scenarioOf(text), { ...PLAY_OPTIONS, ...options });
}

/** What went wrong, for messages of assertions and for comparing verdicts; empty when all held. */
export function troubles({ verdict, reason, steps }: ScenarioResult): string[] {
  const of = ({ place, title, problem, mismatches }: StepResult): string[] => [
    ...(problem === null ? [] : [`${place} ${title}: ${problem}`]),
    ...mismatches.map(
      ({ path, expected, actual }) => `${place} ${title}: ${path}: ${expected}, but ${actual}`,
    ),
  ];
  const told = everyStep(steps).flatMap(of);
  if (reason !== null) told.push(reason);
  return verdict === 'passed' && told.length === 0 ? [] : [...told, verdict];
}
