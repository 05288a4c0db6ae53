import { counted } from '../core/counted.js';
import { InvalidOptions } from '../runtime/config.js';
import type { ControlClient } from '../api/control/client.js';
import { showState } from '../persistence/state.js';
import type { Amounts, StateSummary } from '../persistence/state-summary.js';
import { StateError } from '../persistence/state-file/state-error.js';
import { checksumOf } from '../persistence/state-file/file.js';
import { LIMITS } from '../core/limits.js';
import { readUserFile } from '../core/user-file.js';
import { writeAtomically } from '../core/atomic-file.js';
import { printableLines } from '../core/printable.js';
import { UsageError, writing } from './usage.js';

// State files with keys are readable by their owner only.
const SECRET_MODE = 0o600;

/** Writes a file atomically. Throws UsageError. */
export function writeWhole(file: string, content: string | Uint8Array, mode?: number): void {
  writing(file, () => writeAtomically(file, content, mode));
}

interface Exported {
  readonly file: string;
  readonly bytes: number;
  readonly checksum: string;
}

/** Exports a running world to a file. Throws UsageError when it cannot be written. */
export async function exportTo(
  control: ControlClient,
  { file, withKeys }: { file: string; withKeys: boolean },
): Promise<Exported> {
  const state = await control.do('exportState', { query: { withKeys: withKeys ? 'true' : 'false' } });
  writeWhole(file, state, withKeys ? SECRET_MODE : undefined);
  return { file, bytes: state.length, checksum: checksumOf(state) };
}

/** Imports a file into a running world. Throws UnreadableFile. */
export async function importFrom(control: ControlClient, file: string) {
  return control.do('importState', { bytes: readUserFile(file, LIMITS.stateBytes.most) });
}

const money = ({ USDC, SOL }: Amounts) => `${USDC} USDC, ${SOL} SOL`;
const isNothing = ({ USDC, SOL }: Amounts) => USDC === 0 && SOL === 0;

function agentLines(agents: StateSummary['agents']): string[] {
  return agents.flatMap((agent) => [
    `  ${agent.wallet}  checking ${money(agent.checking)}`,
    ...(['savings', 'yieldEarned', 'pending', 'uncollected'] as const)
      .filter((name) => !isNothing(agent[name]))
      .map((name) => `    ${name === 'yieldEarned' ? 'yield' : name} ${money(agent[name])}`),
    ...(agent.secretKey === null ? [] : [`    secret key ${agent.secretKey}`]),
    ...(agent.collateralDebt === 0 ? [] : [`    owes ${agent.collateralDebt} USDC, secured by its savings`]),
  ]);
}

function loanLines(loans: StateSummary['loans']): string[] {
  return loans.map(
    ({ id, wallet, status, principal, outstanding, dueDate }) =>
      `  ${id}  ${status}  ${principal} USDC, ${outstanding} owed${dueDate === null ? '' : ` by ${dueDate}`}, ${wallet}`,
  );
}

function entryLines(entries: StateSummary['lastEntries']): string[] {
  return entries.map(({ entry, at, wallet, facts: { kind, ...facts } }) => {
    const details = Object.keys(facts).length === 0 ? '' : `  ${JSON.stringify(facts)}`;
    return `  ${entry}  ${at}  ${kind}  ${wallet ?? '-'}${details}`;
  });
}

function readable(summary: StateSummary): string {
  const { config, clock, counts } = summary;
  return [
    `State file of agent-bank-sim, format ${summary.format}${summary.hasKeys ? ', contains secret keys: keep it private' : ''}`,
    `  Time       ${clock.now}, ${clock.mode}, slot ${clock.slot}`,
    `  Engine     ${config.engine}, ${config.variants.network} addresses`,
    `  Seed       ${config.seed}`,
    `  Holds      ${counts.entries} entries, ${counted(counts.transactions, 'transaction')}, ${counted(counts.faults, 'fault')}`,
    `Agents (${counts.agents})`,
    ...agentLines(summary.agents),
    `Loans (${counts.loans})`,
    ...loanLines(summary.loans),
    'Last entries',
    ...entryLines(summary.lastEntries),
  ].join('\n');
}

/** Prints the contents of a state file as text or as one line of JSON. Throws UsageError. */
export function show({ file, entries, json }: { file: string; entries: number; json: boolean }): void {
  if (!Number.isInteger(entries) || entries < 0)
    throw new UsageError(`--entries ${entries}: must be a whole number of at least 0`);
  try {
    const summary = showState(file, { entries });
    process.stdout.write(`${printableLines(json ? JSON.stringify(summary) : readable(summary))}\n`);
  } catch (error) {
    const isUsage = error instanceof StateError || error instanceof InvalidOptions;
    throw isUsage ? new UsageError(`${file}: ${error.message}`) : error;
  }
}
