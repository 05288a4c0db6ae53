import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { defined } from '../../../core/json.js';
import { LIMITS } from '../../../core/limits.js';
import { MAX_TEXT_BYTES, readUserText } from '../../../core/user-file.js';
import { InvalidOptions, type SimulatorOptions, resolveConfig } from '../../../runtime/config.js';
import { PERSONAS } from '../../personas.js';
import type { Scenario } from '../scenario.js';
import { propertyAgents } from '../property/property-agent.js';
import type { ScriptedScenario } from '../script.js';
import { RESERVED } from '../verbs/verbs.js';
import { type AgentFile, type ScenarioFile, type WorldFile, holdingsOf, scenarioSchema } from './schema.js';
import { BrokenStep, readValue, stepReader, strangerOnChain } from './steps.js';

export interface Origin {
  readonly id: string;
  /** Relative to the working directory. */
  readonly file: string;
  readonly path: string;
  readonly line: number;
  readonly lineOf: (path: readonly (string | number)[]) => number | null;
}

/** Simulator options of a scenario's world. Throws BrokenStep with the path of an invalid value. */
export function optionsOf(world: WorldFile, scenario: string): SimulatorOptions {
  const { state, oracle, variants, review, ...rest } = world;
  const { usdc, sol, file: series, ...prices } = oracle ?? {};
  const pathOf = (name: string, maxBytes: number, ...at: (string | number)[]) =>
    fileOf(name, { scenario, at: ['world', ...at], maxBytes });
  const content = DATA_URL.exec(state ?? '')?.[1];
  const options = defined({
    ...rest,
    // A file is read when the scenario is played.
    state:
      content === undefined
        ? state && pathOf(state, LIMITS.stateBytes.most, 'state')
        : Buffer.from(content, 'base64'),
    variants:
      variants === undefined && review === undefined ? undefined : { ...variants, ...defined({ review }) },
    oracle:
      oracle === undefined
        ? undefined
        : defined({
            ...prices,
            usdcApy: usdc,
            solApy: sol,
            csv: series && readUserText(pathOf(series, MAX_TEXT_BYTES, 'oracle', 'file')),
          }),
  }) as SimulatorOptions;
  try {
    resolveConfig(options);
  } catch (error) {
    if (!(error instanceof InvalidOptions)) throw error;
    const [where = '', ...words] = error.message.split(': ');
    const option = where === 'variants.review' && review !== undefined ? 'review' : where;
    const parts = option.split('.').map((part) => ORACLE_NAMES[part] ?? part);
    const isPath = parts[0] !== undefined && Object.hasOwn(world, parts[0]);
    throw new BrokenStep(['world', ...(isPath ? parts : [])], isPath ? words.join(': ') : error.message);
  }
  return options;
}

const ORACLE_NAMES: Readonly<Record<string, string>> = { usdcApy: 'usdc', solApy: 'sol', csv: 'file' };

const DATA_URL = /^data:[^,]*;base64,(.*)/s;

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

/**
 * Resolves a file name at the path `at` of a scenario. Scenarios can be untrusted, so it must be a regular file in the scenario's folder or the working directory.
 */
function fileOf(
  name: string,
  { scenario, at, maxBytes }: { scenario: string; at: readonly (string | number)[]; maxBytes: number },
): string {
  const refused = (reason: string) => new BrokenStep(at, `${name} cannot be read (${reason})`);
  try {
    const path = realpathSync(resolve(dirname(scenario), name));
    const stat = statSync(path);
    const folders = [dirname(resolve(scenario)), process.cwd()].map((folder) => realpathSync(folder));
    if (!folders.some((folder) => isWithin(path, folder)))
      throw refused('it is outside the scenario folder and the working folder');
    if (!stat.isFile()) throw refused('it is not a regular file');
    if (stat.size > maxBytes) throw refused(`it is larger than ${maxBytes} bytes`);
    return path;
  } catch (error) {
    if (error instanceof BrokenStep) throw error;
    throw refused((error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

/** An agent's initial holdings; by default the holdings of its persona. */
export function agentOf(input: AgentFile | null): AgentFile {
  if (input?.persona === undefined) return input ?? {};
  const persona = PERSONAS[input.persona];
  if (persona === undefined) throw new Error(`there is no persona ${input.persona}`);
  return { ...holdingsOf(persona), ...input };
}

function checkAgents(agents: NonNullable<ScenarioFile['agents']>): void {
  for (const [name, agent] of Object.entries(agents)) {
    if (RESERVED.has(name))
      throw new BrokenStep(['agents', name], `${name} has another meaning in steps; use another name`);
    if (agent?.wallet === undefined) continue;
    const funds = (['usdc', 'sol', 'persona'] as const).find((member) => agent[member] !== undefined);
    if (funds !== undefined)
      throw new BrokenStep(['agents', name, funds], 'an existing wallet keeps its balances; leave this out');
  }
}

/** Throws BrokenStep for a stranger in `finally`; the agents of a script are not known before it runs. */
function checkFinally({ finally: expected, agents, property }: ScenarioFile): void {
  const names =
    property === undefined ? Object.keys(agents ?? {}) : propertyAgents(property).map(({ name }) => name);
  const stranger = strangerOnChain(expected, new Set(names));
  if (stranger !== null) throw new BrokenStep(['finally', ...stranger.path], stranger.message);
}

function playOf(
  input: ScenarioFile,
  origin: Origin,
  scripted: ScriptedScenario['plays'] | null,
): Scenario['play'] {
  if (scripted?.kind === 'script') return { ...scripted, path: origin.path };
  checkFinally(input);
  const { steps, property, agents = {} } = input;
  if (steps !== undefined && property !== undefined)
    throw new BrokenStep(['property'], 'a scenario has either steps or a property, not both');
  if (property !== undefined) {
    if (input.world?.state !== undefined)
      throw new BrokenStep(['world', 'state'], 'a property is played in new worlds; leave the state out');
    if (input.agents !== undefined)
      throw new BrokenStep(
        ['agents'],
        'a property creates its agents from its behaviours; leave the agents out',
      );
    return { kind: 'property', property, check: scripted?.check ?? null };
  }
  if (steps === undefined || steps.length === 0)
    throw new BrokenStep([], 'a scenario needs steps or a property');
  const read = stepReader(new Set(Object.keys(agents)), origin.lineOf);
  return { kind: 'steps', steps: steps.map((step, index) => read(step, ['steps', index])) };
}

/** Parses the content of a scenario file; `scripted` is what a TypeScript scenario plays. Throws BrokenStep with the path of the error. */
export function readScenario(
  raw: unknown,
  origin: Origin,
  scripted: ScriptedScenario['plays'] | null = null,
): Scenario {
  const input = readValue(scenarioSchema, raw);
  const { id, file, line } = origin;
  const { name, description = null, tags = [], world = {}, agents = {} } = input;
  checkAgents(agents);
  const about = { id, file, line, name, description, tags };
  return {
    ...about,
    world: optionsOf(world, origin.path),
    worldAsWritten: world,
    invariants: input.invariants ?? 'always',
    agents: Object.fromEntries(Object.entries(agents).map(([each, agent]) => [each, agentOf(agent)])),
    play: playOf(input, origin, scripted),
    finally: input.finally ?? null,
    finallyLine: input.finally === undefined ? null : origin.lineOf(['finally']),
  };
}
