import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { loadFile } from '../../../src/testing/scenario/file/load.js';
import { playScenario } from '../../../src/testing/scenario/play/play.js';
import type { PlayOptions } from '../../../src/testing/scenario/play/play-options.js';
import { type ScenarioResult, type StepResult, everyStep } from '../../../src/testing/scenario/results.js';
import type { Scenario } from '../../../src/testing/scenario/scenario.js';
import { readYaml } from '../../../src/testing/scenario/file/yaml.js';
import type { Target, World } from '../../../src/testing/scenario/target.js';
import { IN_PROCESS, type SimulatorWorld } from '../../../src/testing/drivers/in-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const SCRIPT = fileURLToPath(new URL('../../../src/testing/scenario/script.js', import.meta.url));

/** The first line of a TypeScript scenario file. */
export const SCRIPT_IMPORT = `import { property, scenario } from ${JSON.stringify(SCRIPT)};\n`;

/** Two agents: alice, who can pay from her wallet and from checking, and bob, who has nothing. */
export const ALICE_AND_BOB = `name: x
agents:
  alice: { usdc: 500, checking: { usdc: 100 } }
  bob: {}
`;

/** The scenarios of a file in a folder of its own, with other files beside it. */
export function loaded(
  text: string,
  name = 'a.yaml',
  others: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Scenario[]> {
  const at = temporaryFolder();
  for (const [file, content] of Object.entries({ ...others, [name]: text }))
    writeFileSync(join(at, file), content);
  return loadFile(name, at);
}

function theOnly([scenario]: readonly Scenario[]): Scenario {
  if (scenario === undefined) throw new Error('there is no scenario');
  return scenario;
}

/** The only scenario of a text. */
export function scenarioOf(text: string): Scenario {
  return theOnly(readYaml(text, 'a.yaml', '/nowhere/a.yaml'));
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

/** The scenarios of a TypeScript file in a folder of ECMAScript modules. */
export function loadedScript(text: string, name = 'a.scenario.ts'): Promise<Scenario[]> {
  return loaded(text, name, { 'package.json': '{ "type": "module" }' });
}

/** Plays the only scenario of a TypeScript file that goes on so after its import. */
export async function playedScript(
  text: string,
  options: Partial<PlayOptions> = {},
): Promise<ScenarioResult> {
  const scenario = theOnly(await loadedScript(SCRIPT_IMPORT + text));
  return playScenario(scenario, { ...PLAY_OPTIONS, ...options });
}

/** Plays steps of alice and bob, with further members of the scenario. Fails when something does not hold. */
export async function passed(steps: string, more = ''): Promise<ScenarioResult> {
  const result = await played(`${ALICE_AND_BOB}${more}\nsteps:\n${steps}`);
  expect(troubles(result)).toEqual([]);
  return result;
}

/** Worlds in this process with some of their members replaced. */
export function inProcessWith(
  replaced: (world: SimulatorWorld) => Partial<World> | Promise<Partial<World>>,
): Target {
  return {
    ...IN_PROCESS,
    open: async (options) => {
      const world = (await IN_PROCESS.open(options)) as SimulatorWorld;
      return Object.assign(world, await replaced(world));
    },
  };
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
