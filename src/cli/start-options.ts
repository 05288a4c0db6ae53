import {
  InvalidOptions,
  type SimulatorConfig,
  type SimulatorOptions,
  resolveConfig,
} from '../runtime/config.js';
import { defined } from '../core/json.js';
import { readUserText } from '../core/user-file.js';
import { hostGuard, isLoopbackName, pageOrigins } from '../api/origin-guard.js';
import { optionName } from './arguments.js';
import { addressArgument, keyOption } from './key-option.js';
import type { StartArguments } from './flags.js';
import { withNames } from './unknown-words.js';
import { UnknownName, UsageError, wholeNumber } from './usage.js';

function readConfigFile(path: string): Record<string, unknown> {
  const text = readUserText(path);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`--config ${path}: not valid JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`--config ${path}: must contain a JSON object of simulator options`);
}

function parseVariants(given: readonly string[]): Record<string, unknown> {
  const variants: Record<string, unknown> = {};
  for (const text of given) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`--variant ${text}: expected name=value, such as overview=A`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (name.startsWith('errorStatus.')) {
      const statuses = (variants['errorStatus'] ??= {}) as Record<string, number>;
      statuses[name.slice('errorStatus.'.length)] = Number(value);
    } else variants[name] = value;
  }
  return variants;
}

/** Reads `name=number`. Throws UsageError. */
export function parseLimits(given: readonly string[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const text of given) {
    const match = /^(\w+)=(\d{1,12}(?:\.\d{1,12})?)$/.exec(text);
    if (match === null)
      throw new UsageError(`--limit ${text}: expected name=number, such as dailyWithdrawalUsd=500`);
    limits[match[1] as string] = Number(match[2]);
  }
  return limits;
}

function checkOrigins(origins: readonly string[]): void {
  try {
    pageOrigins(origins);
  } catch (error) {
    throw new UsageError(`--cors ${(error as Error).message}`);
  }
}

function parseConfirmationSlots(text: string | undefined): number | [number, number] | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,4})(?:,(\d{1,4}))?$/.exec(text);
  if (match === null) {
    throw new UsageError(
      `--confirmation-slots ${text}: expected one number, or confirmed,finalized such as 2,32`,
    );
  }
  const confirmed = Number(match[1]);
  return match[2] === undefined ? confirmed : [confirmed, Number(match[2])];
}

/** Validates options of the command line alone, so that errors name the option. Throws UsageError. */
export function checkNamed(name: 'variants' | 'limits', values: Record<string, unknown>): void {
  try {
    resolveConfig({ [name]: values });
  } catch (error) {
    throw usageOf(error, (sentence) =>
      sentence.replace(new RegExp(`^${name}\\.?`), `--${name.slice(0, -1)} `),
    );
  }
}

/** The values of a repeatable option that takes several each time. */
function groups(values: readonly string[] | undefined, size: number): string[][] {
  const all = values ?? [];
  return Array.from({ length: all.length / size }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** The list; undefined if it is empty. */
function some<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values;
}

function accountsOf({ account, accountDir = [] }: StartArguments): unknown {
  const files = groups(account, 2).map(([address = '', file = '']) =>
    address === '-' ? file : { address: addressArgument('--account', address), file },
  );
  return some([...files, ...accountDir]);
}

function programsOf({ bpfProgram, upgradeableProgram }: StartArguments): unknown {
  const final = groups(bpfProgram, 2).map(([address = '', file]) => ({
    address: addressArgument('--bpf-program', address),
    file,
  }));
  const upgradeable = groups(upgradeableProgram, 3).map(([address = '', file, authority = '']) => ({
    address: addressArgument('--upgradeable-program', address),
    file,
    upgradeAuthority: authority === 'none' ? null : addressArgument('--upgradeable-program', authority),
  }));
  return some([...final, ...upgradeable]);
}

function cloneOf({ clone, cloneUpgradeableProgram: programs, cloneUrl: url }: StartArguments): unknown {
  if (clone === undefined && programs === undefined) {
    if (url !== undefined)
      throw new UsageError('--clone-url: requires --clone or --clone-upgradeable-program');
    return undefined;
  }
  if (url === undefined) throw new UsageError('--clone: requires --clone-url');
  return { url, accounts: clone, programs };
}

/** Interactive worlds keep a history; tests and campaigns do not, for speed. */
const DEFAULT_HISTORY = 200;

/** Simulator options from file and command line; the command line takes precedence. Throws UsageError. */
export function startOptions(args: StartArguments): SimulatorOptions {
  wholeNumber('--port', args.port, 0, 65_535);
  // WebSockets use the next port.
  if (args.rpcPort !== undefined) wholeNumber('--rpc-port', args.rpcPort, 0, 65_534);
  if (args.paywallPort !== undefined) wholeNumber('--paywall-port', args.paywallPort, 0, 65_535);
  for (const name of args.allowHost ?? [])
    if (hostGuard({ host: name, allowHosts: [] })(name) !== null)
      throw new UsageError(`--allow-host ${name}: expected a host name without scheme and port`);
  checkOrigins(args.cors ?? []);
  if (args.paywallPort !== undefined && !args.paywall)
    throw new UsageError('--paywall-port: requires --paywall');
  if (args.engine === 'cluster' && args.rpcPort !== undefined)
    throw new UsageError(
      "--rpc-port: not available with engine cluster; clients use the cluster's own JSON-RPC",
    );
  const file = args.config === undefined ? {} : readConfigFile(args.config);
  const fileVariants = typeof file['variants'] === 'object' ? file['variants'] : {};
  const given: Record<string, unknown> = defined({
    engine: args.engine,
    clusterUrl: args.clusterUrl,
    treasuryKey:
      args.treasuryKey === undefined ? undefined : [...keyOption('--treasury-key', args.treasuryKey)],
    usdcMint: args.usdcMint,
    seed: args.seed,
    time: args.time,
    startTime: args.startTime,
    state: args.state,
    dataDir: args.dataDir,
    fsync: args.fsync,
    compactAt: args.compactAt,
    confirmationSlots: parseConfirmationSlots(args.confirmationSlots),
    landingDelay: args.landingDelay,
    accounts: accountsOf(args),
    programs: programsOf(args),
    clone: cloneOf(args),
    history: args.history,
    // The flag has a default, which must not override the config file.
    inspector: args.inspector ? undefined : false,
    freshSecrets: isLoopbackName(args.host) ? undefined : (file['freshSecrets'] ?? true),
  });
  const merged: Record<string, unknown> = { history: DEFAULT_HISTORY, ...file, ...given };
  const variants = parseVariants(args.variant);
  if (Object.keys(variants).length > 0) {
    merged['variants'] = { ...fileVariants, ...variants };
    checkNamed('variants', variants);
  }
  const limits = parseLimits(args.limit);
  if (Object.keys(limits).length > 0) {
    merged['limits'] = { ...(typeof file['limits'] === 'object' ? file['limits'] : {}), ...limits };
    checkNamed('limits', limits);
  }
  const config = checked(merged, new Set(Object.keys(given)));
  if (merged['state'] !== undefined || merged['dataDir'] !== undefined) return merged;
  return { ...(merged as SimulatorOptions), seed: config.seed };
}

const FLAGS: Readonly<Record<string, string>> = { accounts: '--account', programs: '--bpf-program' };

/** The flag of an option: `--start-time` for `startTime`. */
function flagOf(name: string): string {
  return FLAGS[name] ?? `--${optionName(name)}`;
}

/** Converts invalid options to a usage error in terms of the command line; returns other errors unchanged. */
function usageOf(error: unknown, rename: (sentence: string) => string): unknown {
  if (!(error instanceof InvalidOptions)) return error;
  const sentence = rename(error.sentence);
  return error.known.length === 0
    ? new UsageError(sentence)
    : new UnknownName(withNames(sentence, 'Allowed', error.known));
}

/** Validates options; errors about command-line options use their flags. */
function checked(options: Record<string, unknown>, onCommandLine: ReadonlySet<string>): SimulatorConfig {
  try {
    return resolveConfig(options);
  } catch (error) {
    throw usageOf(error, (sentence) =>
      sentence.replace(/^\w+/, (name) => (onCommandLine.has(name) ? flagOf(name) : name)),
    );
  }
}
