import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { defined } from '../../../core/json.js';
import { LIMITS } from '../../../core/limits.js';
import { MAX_TEXT_BYTES, readUserText } from '../../../core/user-file.js';
import { InvalidOptions, type SimulatorOptions, resolveConfig } from '../../../runtime/config.js';
import { MAX_ACCOUNT_BYTES } from '../../../runtime/accounts/account-json.js';
import { PERSONAS } from '../../personas.js';
import type { Scenario } from '../scenario.js';
import { propertyAgents } from '../property/property-agent.js';
import type { ScriptedScenario } from '../script.js';
import { RESERVED } from '../verbs/verbs.js';
import { type AgentFile, type ScenarioFile, type WorldFile, scenarioSchema } from './schema.js';
import { BrokenStep, readValue, stepReader } from './steps.js';

export interface Origin {
  readonly id: string;
  /** Relative to the working directory. */
  readonly file: string;
  readonly path: string;
  readonly line: number;
  readonly lineOf: (path: readonly (string | number)[]) => number | null;
}

/** Simulator options of a scenario's world. Throws BrokenStep with the path of an invalid value. */
export function optionsOf(world: WorldFile, file: string): SimulatorOptions {
  const { state, oracle, variants, review, accounts, programs, ...rest } = world;
  const { usdc, sol, file: series, ...prices } = oracle ?? {};
  const options = defined({
    ...rest,
    state: state === undefined ? undefined : stateOf(state, file),
    variants:
      variants === undefined && review === undefined ? undefined : { ...variants, ...defined({ review }) },
    oracle:
      oracle === undefined
        ? undefined
        : defined({
            ...prices,
            usdcApy: usdc,
            solApy: sol,
            csv: series === undefined ? undefined : seriesText(series, file),
          }),
    accounts: accounts?.map((input, at) => accountOf(input, at, file)),
    programs: programs?.map((input, index) => {
      const at = ['world', 'programs', index, 'file'];
      return { ...input, file: fileOf(input.file, { file, at, maxBytes: MAX_ACCOUNT_BYTES }) };
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

const DATA_URL = /^data:[^,]*;base64,/;

/** The content of a state, or the path of its file, which is read when the scenario is played. */
function stateOf(input: string, file: string): Uint8Array | string {
  const head = DATA_URL.exec(input)?.[0];
  if (head !== undefined) return Buffer.from(input.slice(head.length), 'base64');
  return fileOf(input, { file, at: ['world', 'state'], maxBytes: LIMITS.stateBytes.most });
}

/** Whether a path is inside a folder. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

function accountOf(input: NonNullable<WorldFile['accounts']>[number], at: number, file: string) {
  if (typeof input !== 'string') return input;
  return fileOf(input, { file, at: ['world', 'accounts', at], maxBytes: 2 * MAX_ACCOUNT_BYTES });
}

function seriesText(series: string, file: string): string {
  const at = ['world', 'oracle', 'file'];
  return readUserText(fileOf(series, { file, at, maxBytes: MAX_TEXT_BYTES }));
}

/**
 * Resolves a file name at the path `at` of a scenario. Scenarios can be untrusted, so it must be a regular file in the scenario's folder or the working directory.
 */
function fileOf(
  name: string,
  { file, at, maxBytes }: { file: string; at: readonly (string | number)[]; maxBytes: number },
): string {
  const refused = (reason: string) => new BrokenStep([...at], `${name} cannot be read (${reason})`);
  let path: string;
  let isFile: boolean;
  let size: number;
  try {
    path = realpathSync(resolve(dirname(file), name));
    const stat = statSync(path);
    isFile = stat.isFile();
    ({ size } = stat);
  } catch (error) {
    throw refused((error as NodeJS.ErrnoException).code ?? 'unknown');
  }
  const folders = [dirname(resolve(file)), process.cwd()].map((folder) => realpathSync(folder));
  if (!folders.some((folder) => isWithin(path, folder)))
    throw refused('it is outside the scenario folder and the working folder');
  if (!isFile) throw refused('it is not a regular file');
  if (size > maxBytes) throw refused(`it is larger than ${maxBytes} bytes`);
  return path;
}

/** An agent's initial holdings; by default the holdings of its persona. */
export function agentOf(input: AgentFile | null): AgentFile {
  if (input?.persona === undefined) return input ?? {};
  const persona = PERSONAS[input.persona];
  if (persona === undefined) throw new Error(`there is no persona ${input.persona}`);
  const { begins } = persona;
  const { wallet, ...rest } = begins;
  return { ...wallet, ...rest, ...input };
}

function checkAgents(agents: ScenarioFile['agents']): void {
  for (const [name, agent] of Object.entries(agents ?? {})) {
    if (RESERVED.has(name))
      throw new BrokenStep(['agents', name], `${name} has another meaning in steps; use another name`);
    if (agent?.wallet === undefined) continue;
    const funds = (['usdc', 'sol', 'persona'] as const).find((member) => agent[member] !== undefined);
    if (funds !== undefined)
      throw new BrokenStep(['agents', name, funds], 'an existing wallet keeps its balances; leave this out');
  }
}

function playOf(
  input: ScenarioFile,
  origin: Origin,
  scripted: ScriptedScenario['plays'] | null,
): Scenario['play'] {
  if (scripted?.kind === 'script') return { ...scripted, path: origin.path };
  const { steps, property, agents = {} } = input;
  if (steps !== undefined && property !== undefined)
    throw new BrokenStep(['property'], 'a scenario has either steps or a property, not both');
  if (property !== undefined) {
    propertyAgents(property);
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

/** Parses the content of a scenario file. Throws BrokenStep with the path of the error. */
export function readScenario(raw: unknown, origin: Origin): Scenario {
  return compiled(raw, origin, null);
}

/** Parses a TypeScript scenario. Throws BrokenStep with the path of the error. */
export function readScript({ name, options, plays }: ScriptedScenario, origin: Origin): Scenario {
  const property = plays.kind === 'property' ? { property: plays.property } : {};
  return compiled({ ...options, ...property, name }, origin, plays);
}

function compiled(raw: unknown, origin: Origin, scripted: ScriptedScenario['plays'] | null): Scenario {
  const input = readValue(scenarioSchema, raw, []);
  checkAgents(input.agents);
  return {
    id: origin.id,
    file: origin.file,
    line: origin.line,
    name: input.name,
    description: input.description ?? null,
    tags: input.tags ?? [],
    covers: input.covers ?? [],
    world: optionsOf(input.world ?? {}, origin.path),
    worldAsWritten: input.world ?? {},
    invariants: input.invariants ?? 'always',
    agents: Object.fromEntries(
      Object.entries(input.agents ?? {}).map(([name, agent]) => [name, agentOf(agent)]),
    ),
    play: playOf(input, origin, scripted),
    finally: input.finally ?? null,
  };
}
