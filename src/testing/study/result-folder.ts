import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../core/atomic-file.js';
import { isObject } from '../../core/json.js';
import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';
import type { RunResult } from './play/play-run.js';
import type { StudyPlan } from './plan.js';

/** The folder of what is needed to go on, which is deleted when a study ends. */
const UNFINISHED = 'unfinished';
const STUDY = 'study.json';
const FORMAT = 'agent-bank-sim study, unfinished';
const VERSION = 1;

/** A folder that is none of a study's results, or of another study's; the message says why. */
export class WrongFolder extends Error {
  override readonly name = 'WrongFolder';
}

/** The results of a study on disk: those of each run as it ends, and the files that are made of them at the end. */
export class ResultFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Begins in a folder without results. Throws WrongFolder, and Node's error. */
  static begin(path: string, plan: StudyPlan, version: string): ResultFolder {
    if (existsSync(join(path, UNFINISHED, STUDY)))
      throw new WrongFolder(
        `${path} holds a study that is not finished: go on with --resume ${path}, or delete it`,
      );
    if (existsSync(join(path, 'manifest.json')))
      throw new WrongFolder(`${path} holds the results of a study: choose another folder, or delete it`);
    mkdirSync(join(path, UNFINISHED), { recursive: true });
    const folder = new ResultFolder(path);
    const text = JSON.stringify({ format: FORMAT, version: VERSION, program: version, plan });
    writeAtomically(folder.#unfinished(STUDY), text);
    return folder;
  }

  /** Goes on with a study that has not ended. Throws WrongFolder. */
  static resume(path: string, version: string): { folder: ResultFolder; plan: StudyPlan } {
    const folder = new ResultFolder(path);
    const file = folder.#unfinished(STUDY);
    if (!existsSync(file))
      throw new WrongFolder(
        existsSync(join(path, 'manifest.json'))
          ? `the study of ${path} is finished`
          : `${path} holds no study that could go on`,
      );
    const given: unknown = JSON.parse(readUserText(file));
    const { format, version: layout, program, plan } = isObject(given) ? given : {};
    if (format !== FORMAT || layout !== VERSION)
      throw new WrongFolder(`${file} is none of this version of sim study`);
    if (program !== version)
      throw new WrongFolder(
        `the study was begun by version ${String(program)}, and this is ${version}: go on with that version`,
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

  /** The path of a file of the results, for one that is written in parts; its name is `.new` until `finish`. */
  partial(name: string): { readonly path: string; readonly finish: () => void } {
    const path = join(this.path, name);
    return { path: `${path}.new`, finish: () => renameSync(`${path}.new`, path) };
  }

  /** Deletes what is only needed to go on. */
  end(): void {
    // Without it, nothing can go on with what is left.
    rmSync(this.#unfinished(STUDY));
    rmSync(join(this.path, UNFINISHED), { recursive: true });
  }
}
