import { ASPECTS, type Fidelity, type Unlike, fidelityOf } from '../../testing/replay/har/fidelity.js';
import { recordingOfHar } from '../../testing/replay/har/har-recording.js';
import { readHar } from '../../testing/replay/har/read-har.js';
import { EXIT, UsageError } from '../usage.js';
import { printableLines } from '../../core/printable.js';
import { reading } from './read.js';
import type { ReplayArguments } from './replay.js';

const SHOWN = 30;

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function unlikeText({ aspect, path, service, simulator }: Unlike): string {
  return `${aspect}: ${path}: the service has ${shown(service)}, the simulator ${shown(simulator)}`;
}

function tableOf({ byEndpoint }: Fidelity): string[] {
  const head = ['endpoint', 'calls', 'same', ...ASPECTS];
  const rows = Object.entries(byEndpoint)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, counts]) => [
      name,
      ...(['calls', 'same', ...ASPECTS] as const).map((column) => String(counts[column] || '-')),
    ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}

function reportText(fidelity: Fidelity, others: number, all: boolean): string {
  const { baseUrl, calls, same, different, unprepared } = fidelity;
  const lines = different.flatMap(({ number, operation, unlike }) =>
    unlike.map((each) => `entry ${number}: ${operation}: ${unlikeText(each)}`),
  );
  const told = all ? lines : lines.slice(0, SHOWN);
  if (told.length < lines.length) told.push(`… and ${lines.length - told.length} more; show them with --all`);
  const warnings = unprepared.map(
    ({ number, what }) => `entry ${number}: the simulator's state could not be set up for it (${what})`,
  );
  return `${[
    `Simulator compared with ${baseUrl}`,
    '',
    ...tableOf(fidelity),
    '',
    ...told,
    ...warnings,
    ...(told.length + warnings.length === 0 ? [] : ['']),
    `${same} of ${calls} calls match. ${others === 0 ? '' : `${others} entries are not calls of the service. `}`.trimEnd(),
    'Compared: status, code, members and their types, numbers, words such as a status. Not compared: ids, signatures, instants,',
    'sentences, details of refusals, and the values of rates, prices and scores.',
  ].join('\n')}\n`;
}

function variantsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', ...value] = text.split('=');
      if (name === '' || value.length === 0)
        throw new UsageError(`--variant ${text}: expected name=value, such as overview=A`);
      return [name, value.join('=')];
    }),
  );
}

/** Replays a session of the deployed service and prints how closely the simulator agrees. Sets exit code 1 if it differs. */
export async function compareWithService(args: ReplayArguments, text: string): Promise<void> {
  const { file, engine, log, json, baseUrl, variant = [] } = args;
  const variants = variantsOf(variant);
  const { fidelity, others } = await reading(async () => {
    const session = readHar(text, file, baseUrl);
    const recording = recordingOfHar(session, variants);
    return { fidelity: await fidelityOf(recording, { engine, log }), others: session.others };
  });
  if (fidelity.different.length > 0) process.exitCode = EXIT.failed;
  process.stdout.write(
    printableLines(json ? `${JSON.stringify(fidelity)}\n` : reportText(fidelity, others, args.all ?? false)),
  );
}
