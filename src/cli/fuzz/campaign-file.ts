import { isObject } from '../../core/json.js';
import { MAX_LOG_BYTES, UnreadableFile, readUserText } from '../../core/user-file.js';
import type { Summary } from '../../testing/fuzz-library.js';
import { writeWhole } from '../state.js';
import { UsageError } from '../usage.js';
import type { FuzzArguments } from './options.js';

const FORMAT = 'agent-bank-sim campaign';
const VERSION = 2;

/** The options that determine which sequences a campaign plays: it can only go on with the same. */
const DECISIVE = [
  'property',
  'seed',
  'steps',
  'agents',
  'engine',
  'transport',
  'variant',
  'limit',
  'varyLimits',
  'only',
  'weights',
  'shard',
] as const satisfies readonly (keyof FuzzArguments)[];

/** Results by campaign of the plan; null for one that has not begun. */
export type CampaignParts = readonly (Summary | null)[];

function decisive(args: FuzzArguments): Readonly<Record<string, unknown>> {
  return Object.fromEntries(DECISIVE.map((name) => [name, args[name] ?? null]));
}

/** Reads where a campaign ended; none if there is no such file. Throws UsageError for another one, and for other options. */
export function readCampaign(path: string, args: FuzzArguments): CampaignParts {
  const bad = (what: string) => new UsageError(`--resume ${path}: ${what}`);
  let given: unknown;
  try {
    given = JSON.parse(readUserText(path, MAX_LOG_BYTES));
  } catch (error) {
    if (error instanceof UnreadableFile && error.code === 'ENOENT') return [];
    throw bad((error as Error).message);
  }
  const { format, version, options, parts }: Record<string, unknown> = isObject(given) ? given : {};
  if (format !== FORMAT || version !== VERSION || !Array.isArray(parts) || !isObject(options))
    throw bad(`it is no campaign of this version of sim fuzz`);
  const now = decisive(args);
  const other = DECISIVE.find((name) => JSON.stringify(options[name]) !== JSON.stringify(now[name]));
  if (other !== undefined) {
    const option = other === 'varyLimits' ? 'vary-limits' : other;
    throw bad(`it was begun with --${option} ${JSON.stringify(options[other])}; only the same can go on`);
  }
  return parts as CampaignParts;
}

/** Writes where a campaign ended, in one piece. Throws UsageError. */
export function writeCampaign(path: string, args: FuzzArguments, parts: CampaignParts): void {
  const content = { format: FORMAT, version: VERSION, options: decisive(args), parts };
  writeWhole(path, `${JSON.stringify(content)}\n`);
}
