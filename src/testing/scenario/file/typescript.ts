import { readFileSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';
import { BrokenFile, type Scenario } from '../scenario.js';
import { ScriptedScenario } from '../script.js';
import { readScenario } from './read.js';
import { BrokenStep } from './steps.js';

/** Location in a stack frame: a path or URL, its query, line and column. */
const FRAME = /([^\s(][^(?]*)(\?[^:]*)?:(\d+):(\d+)\)?$/;

/** Whether a text contains the location. The loader packs compiled code into one line, whose columns lie far outside the source. */
function hasLocation(text: string, line: number, column: number): boolean {
  return column <= (text.split('\n')[line - 1]?.length ?? -1) + 1;
}

/**
 * The line, from 1, of the innermost stack frame in the file at the absolute path; null if there is none. Node maps stacks to source lines unless another tool, such as a test runner, prepares them. On Node 20, files that the TypeScript loader wraps as CommonJS have no frame.
 */
export function lineInFile(stack: string | undefined, path: string): number | null {
  const { href } = pathToFileURL(path);
  for (const frame of stack?.split('\n') ?? []) {
    const [, place = '', query = '', ...numbers] = FRAME.exec(frame.replace(/^\s*at (?:async )?/, '')) ?? [];
    if (place !== path && place !== href) continue;
    const [line = 0, column = 0] = numbers.map(Number);
    if (place + query === path && hasLocation(readFileSync(path, 'utf8'), line, column)) return line;
    const entry = findSourceMap(place + query)?.findEntry(line - 1, column - 1);
    return entry !== undefined && 'originalLine' in entry ? entry.originalLine + 1 : line;
  }
  return null;
}

/** Location of a compiler error, such as `file.ts:3:7: ERROR: …`. */
const PLACE = /:(\d+):(\d+): (?:ERROR: )?(.+)/;

/** Errors of files loaded as CommonJS, which cannot import modules. */
const AS_MODULE =
  'this file is read as CommonJS: add "type": "module" to package.json, or name the file *.scenario.mts';

/** The exports of a TypeScript or JavaScript file. Rejects with BrokenFile. */
export async function importedModule(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // Loaded lazily: only TypeScript files need it.
    const { tsImport } = await import('tsx/esm/api');
    const url = pathToFileURL(path).href;
    return (await tsImport(url, import.meta.url)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The compiler counts columns from 0.
    const [, line = '1', column = '0', reason] = PLACE.exec(text) ?? [];
    const why = reason ?? text.split('\n')[0] ?? 'cannot be loaded';
    const isCommonJs = /"exports" main|require\(\)|ERR_REQUIRE/.test(text);
    const hint = isCommonJs ? `; ${AS_MODULE}` : '';
    throw new BrokenFile(file, Number(line), Number(column) + 1, why + hint);
  }
}

/** Compares by name, because a file can load a second copy of the package. */
function isScripted(value: unknown): value is ScriptedScenario {
  return typeof value === 'object' && value !== null && value.constructor?.name === ScriptedScenario.name;
}

/** Loads the scenarios of a TypeScript or JavaScript file from its default export: one scenario or a list. Rejects with BrokenFile. */
export async function readTypescript(path: string, file: string): Promise<Scenario[]> {
  const outer = (await importedModule(path, file))['default'] as { default?: unknown } | undefined;
  // CommonJS files (folders without `"type": "module"`) wrap their default export.
  const exported = outer?.default ?? outer;
  const list: unknown[] = Array.isArray(exported) ? exported : [exported];
  return list.map((each, index) => {
    if (!isScripted(each))
      throw new BrokenFile(
        file,
        1,
        1,
        'must export default scenario(name, async ({ agent, sim, expect }) => …)',
      );
    const line = lineInFile(each.madeAt, path) ?? 1;
    const id = index === 0 ? file : `${file}#${index + 1}`;
    const { name, options, plays } = each;
    const property = plays.kind === 'property' ? { property: plays.property } : {};
    try {
      const raw = { ...options, ...property, name };
      return readScenario(raw, { id, file, path, line, lineOf: () => null }, plays);
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error;
      throw new BrokenFile(file, line, 1, `${name}: ${error.located}`);
    }
  });
}
