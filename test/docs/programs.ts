import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNNER = fileURLToPath(new URL('program-runner.mjs', import.meta.url));

/** A process that runs JavaScript programs, one at a time: loading this package takes longer than most of them. */
export class ProgramRunner {
  #child: ChildProcess | null = null;

  /** What a program printed. Rejects when it throws, ends with another exit code than 0, or waits for what never happens. */
  run(file: string, env: NodeJS.ProcessEnv): Promise<string> {
    const child = (this.#child ??= fork(RUNNER, { silent: true }));
    const printed = { stdout: '', stderr: '' };
    const read = (name: 'stdout' | 'stderr', onText: () => void) => {
      const onData = (text: Buffer) => {
        printed[name] += text.toString();
        onText();
      };
      child[name]?.on('data', onData);
      return () => child[name]?.off('data', onData);
    };
    return new Promise((resolve, reject) => {
      const onClose = (code: number | null) => {
        this.#child = null;
        reject(new Error(`${file} ended with ${code}\n${printed.stdout}${printed.stderr}`));
      };
      const onText = () => {
        if (!printed.stdout.endsWith('\0')) return;
        child.off('close', onClose);
        for (const stop of stops) stop();
        resolve(printed.stdout.slice(0, -1));
      };
      const stops = [read('stdout', onText), read('stderr', () => undefined)];
      child.once('close', onClose);
      child.send({ file, env });
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    await new Promise((resolve) => {
      child.once('close', resolve);
      child.kill('SIGKILL');
    });
  }
}
