import { InvalidOptions, OPTION_MEMBERS, type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import { defined, isObject } from '../core/json.js';
import { readUserText } from '../core/user-file.js';
import { hostGuard, isLoopbackName, pageOrigins } from '../api/origin-guard.js';
import { optionName } from './arguments.js';
import { keyOption } from './key-option.js';
import type { StartArguments } from './flags.js';
import { withNames } from './unknown-words.js';
import { UnknownName, UsageError, parsedObject, reading, wholeNumber } from './usage.js';

/** Splits the values of a repeatable option, such as `name=value`, into two parts. Throws UsageError. */
function pairs(option: string, given: readonly string[], form: RegExp, expected: string) {
  return given.map((text) => {
    const [, name, value = ''] = form.exec(text) ?? [];
    if (name === undefined) throw new UsageError(`${option} ${text}: expected ${expected}`);
    return [name, value] as const;
  });
}

/** Reads `name=value`. Throws UsageError. */
export function parseVariants(given: readonly string[]): Record<string, unknown> {
  const variants: Record<string, unknown> = {};
  const statuses: Record<string, number> = {};
  for (const [name, value] of pairs('--variant', given, /^([^=]+)=(.*)$/s, 'name=value, such as overview=A'))
    if (name.startsWith('errorStatus.')) statuses[name.slice('errorStatus.'.length)] = Number(value);
    else variants[name] = value;
  return Object.keys(statuses).length === 0 ? variants : { ...variants, errorStatus: statuses };
}

/** Reads `name=number`. Throws UsageError. */
export function parseLimits(given: readonly string[]): Record<string, number> {
  const form = /^(\w+)=(\d{1,12}(?:\.\d{1,12})?)$/;
  const limits = pairs('--limit', given, form, 'name=number, such as dailyWithdrawalUsd=500');
  return Object.fromEntries(limits.map(([name, value]) => [name, Number(value)]));
}

function parseConfirmationSlots(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (!/^\d{1,4}(,\d{1,4})?$/.test(text))
    throw new UsageError(
      `--confirmation-slots ${text}: expected one number, or confirmed,finalized such as 2,32`,
    );
  const [confirmed, ...finalized] = text.split(',').map(Number);
  return finalized.length === 0 ? confirmed : [confirmed, ...finalized];
}

/** Interactive worlds keep a history; tests and campaigns do not, for speed. */
const DEFAULT_HISTORY = 200;

/** The members of an option of the file with those on the command line, which take precedence. */
function merged(inFile: unknown, given: Record<string, unknown>): unknown {
  const isKept = Object.keys(given).length === 0 || !isObject(inFile ?? {});
  return isKept ? inFile : { ...(inFile as object | undefined), ...given };
}

/** Simulator options from file and command line; the command line takes precedence. Throws UsageError. */
export function startOptions(args: StartArguments): SimulatorOptions {
  wholeNumber('--port', args.port, 0, 65_535);
  // WebSockets use the next port.
  if (args.rpcPort !== undefined) wholeNumber('--rpc-port', args.rpcPort, 0, 65_534);
  if (args.paywallPort !== undefined) wholeNumber('--paywall-port', args.paywallPort, 0, 65_535);
  for (const name of args.allowHost ?? [])
    if (hostGuard({ host: name, allowHosts: [] })(name) !== null)
      throw new UsageError(`--allow-host ${name}: expected a host name without scheme and port`);
  reading('--cors ', () => pageOrigins(args.cors ?? []));
  if (args.paywallPort !== undefined && !args.paywall)
    throw new UsageError('--paywall-port: requires --paywall');
  if (args.engine === 'cluster' && args.rpcPort !== undefined)
    throw new UsageError(
      "--rpc-port: not available with engine cluster; clients use the cluster's own JSON-RPC",
    );
  const file =
    args.config === undefined ? {} : parsedObject(`--config ${args.config}`, readUserText(args.config));
  const key = args.treasuryKey;
  const given = defined({
    // Most are options of `sim start` by the same name.
    ...Object.fromEntries(Object.entries(args).filter(([name]) => OPTION_MEMBERS['']?.includes(name))),
    treasuryKey: key === undefined ? undefined : [...keyOption('--treasury-key', key)],
    confirmationSlots: parseConfirmationSlots(args.confirmationSlots),
    // The flag has a default, which must not override the config file.
    inspector: args.inspector ? undefined : false,
    freshSecrets: isLoopbackName(args.host) ? undefined : (file['freshSecrets'] ?? true),
  });
  const [variants, limits] = [parseVariants(args.variant), parseLimits(args.limit)];
  const options = defined({
    history: DEFAULT_HISTORY,
    ...file,
    ...given,
    variants: merged(file['variants'], variants),
    limits: merged(file['limits'], limits),
  });
  checkNamed(options, { ...given, variants, limits });
  return options as SimulatorOptions;
}

/** Checks options. Errors about options on the command line name their flags: `--start-time` for `startTime`, `--limit forks` for `limits.forks`. Throws UsageError. */
export function checkNamed(options: object, onCommandLine: Readonly<Record<string, unknown>>): void {
  try {
    resolveConfig(options);
  } catch (error) {
    if (!(error instanceof InvalidOptions)) throw error;
    const sentence = error.sentence.replace(/^(\w+)(?:\.(\w+))?/, (path, name: string, member = '') => {
      const given = Object.hasOwn(onCommandLine, name) ? onCommandLine[name] : undefined;
      if (name !== 'variants' && name !== 'limits')
        return given === undefined ? path : path.replace(name, `--${optionName(name)}`);
      return isObject(given) && Object.hasOwn(given, member) ? `--${name.slice(0, -1)} ${member}` : path;
    });
    throw error.known.length === 0
      ? new UsageError(sentence)
      : new UnknownName(withNames(sentence, 'Allowed', error.known));
  }
}
