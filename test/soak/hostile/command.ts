import { Command } from '../../cli/process.js';

/** The longest that a command may take. */
const PATIENCE_MS = 20_000;

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs a command to its end. A `sim start` that is ready gets SIGTERM. */
export async function runToEnd(args: readonly string[]): Promise<CommandResult> {
  const from = performance.now();
  const command = new Command(args);
  const timer = setTimeout(() => command.kill('SIGKILL'), PATIENCE_MS);
  if (args[0] === 'start')
    command.printed('\n').then(
      () => command.kill('SIGTERM'),
      () => undefined,
    );
  const code = await command.ended();
  clearTimeout(timer);
  return { code, stderr: command.stderr, ms: performance.now() - from };
}

/** The defect in how a command handled hostile input; null for a clear error. */
export function problemOf({ code, stderr, ms }: CommandResult): string | null {
  if (code === null) return ms >= PATIENCE_MS ? 'it hangs' : `it was killed: ${stderr.slice(-500)}`;
  if (code > 2) return `exit code ${code}: ${stderr.slice(-500)}`;
  if (/^\s+at .*\d+:\d+\)?$/m.test(stderr)) return `a stack trace: ${stderr.slice(0, 800)}`;
  if (code === 2 && !/^sim: [^\n]{10,2000}(\n[^\n]{0,300}){0,4}\n$/.test(stderr))
    return `no clear message: ${stderr.slice(0, 800)}`;
  return null;
}
