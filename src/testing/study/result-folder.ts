import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../core/atomic-file.js';
import { isObject } from '../../core/json.js';
import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';
import type { RunResult } from './play/play-run.js';
import type { StudyPlan } from './plan.js';

/** The folder with the state of an unfinished study, which is deleted when the study ends. */
const UNFINISHED = 'unfinished';
const STUDY = 'study.json';
const FORMAT = 'agent-bank-sim study, unfinished';
const VERSION = 1;

/** The folder does not belong to the study, or is not a results folder; the message gives the reason. */
export class WrongFolder extends Error {
  override readonly name = 'WrongFolder';
}

/** The results of a study on disk: the result of each run as it ends, and the final files. */
export class ResultFolder {
  private constructor(readonly path: string) {}

  /** Starts a study in a folder without results. Throws WrongFolder and Node's errors. */
  static begin(path: string, plan: StudyPlan, version: string): ResultFolder {
    if (existsSync(join(path, UNFINISHED, STUDY)))
      throw new WrongFolder(
        `${path} contains an unfinished study: continue it with --resume ${path}, choose another folder with --out, or delete it`,
      );
    if (existsSync(join(path, 'manifest.json')))
      throw new WrongFolder(
        `${path} contains the results of a study: choose another folder with --out, or delete it`,
      );
    mkdirSync(join(path, UNFINISHED), { recursive: true });
    const folder = new ResultFolder(path);
    const text = JSON.stringify({ format: FORMAT, version: VERSION, program: version, plan });
    writeAtomically(folder.#unfinished(STUDY), text);
    return folder;
  }

  /** Continues an unfinished study. Throws WrongFolder. */
  static resume(path: string, version: string): { folder: ResultFolder; plan: StudyPlan } {
    const folder = new ResultFolder(path);
    const file = folder.#unfinished(STUDY);
    if (!existsSync(file))
      throw new WrongFolder(
        existsSync(join(path, 'manifest.json'))
          ? `the study in ${path} is finished`
          : `${path} contains no unfinished study`,
      );
    const parsed: unknown = JSON.parse(readUserText(file));
    const { format, version: layout, program, plan } = isObject(parsed) ? parsed : {};
    if (format !== FORMAT || layout !== VERSION)
      throw new WrongFolder(`${file} was not written by this version of sim study`);
    if (program !== version)
      throw new WrongFolder(
        `the study was started by version ${String(program)}, and this is ${version}: continue it with that version`,
      );
    return { folder, plan: plan as StudyPlan };
  }

  #unfinished(name: string): string {
    return join(this.path, UNFINISHED, name);
  }

  #run(run: number): string {
    return this.#unfinished(`run-${run}.json`);
  }

  has(run: number): boolean {
    return existsSync(this.#run(run));
  }

  keep(result: RunResult): void {
    writeAtomically(this.#run(result.run), JSON.stringify(result));
  }

  result(run: number): RunResult {
    return JSON.parse(readUserText(this.#run(run), MAX_LOG_BYTES)) as RunResult;
  }

  write(name: string, content: string | Uint8Array): void {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeAtomically(path, content);
  }

  end(): void {
    // Without this file, the study cannot be continued.
    rmSync(this.#unfinished(STUDY));
    rmSync(join(this.path, UNFINISHED), { recursive: true });
  }
}
