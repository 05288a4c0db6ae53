import {
  type Document,
  LineCounter,
  type Node,
  type YAMLError,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
} from 'yaml';
import { BrokenFile, type Scenario } from '../scenario.js';
import { readScenario } from './read.js';
import { BrokenStep } from './steps.js';

type Path = readonly (string | number)[];

/** Offset of the node at a path: of the member's name, otherwise of the closest parent. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let at: unknown = document.contents;
  let offset = document.contents?.range[0] ?? document.range[0];
  for (const part of path) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined || !isPair(pair)) break;
      const { key } = pair;
      if (isNode(key) && key.range) [offset] = key.range;
      at = pair.value;
    } else if (isSeq(at)) {
      at = at.items[Number(part)];
      if (isNode(at) && (at as Node).range) offset = (at as Node).range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** The value of a document. Throws BrokenStep for an unresolved alias. */
function valueOf(document: Document.Parsed): unknown {
  try {
    const value: unknown = document.toJS();
    // Throws for circular aliases.
    JSON.stringify(value);
    return value;
  } catch (error) {
    throw new BrokenStep([], (error as Error).message);
  }
}

/**
 * Detects an unquoted reference at a YAML error, and suggests a correction: within flow collections its braces start a map. Null if there
 * is none.
 */
function unquotedReference(text: string, offset: number): { offset: number; reason: string } | null {
  const at = [offset - 1, offset - 2].find((start) => text.startsWith('${', start));
  if (at === undefined) return null;
  const before = /[^\s,:{}[\]"']*$/.exec(text.slice(0, at))?.[0] ?? '';
  const [after = ''] = /^\$\{[^}\n]*\}?[^\s,:{}[\]"']*/.exec(text.slice(at)) ?? [];
  const reference = before + after;
  return {
    offset: at - before.length,
    reason: `a reference within { } or [ ] needs quotes; quote it: "${reference}"`,
  };
}

/** What to do about an unquoted text with a colon, which YAML takes for the name of a member within a member's value. */
function unquotedColon(text: string, offset: number): string {
  const [value = ''] = /^[^\n]*/.exec(text.slice(offset)) ?? [];
  return `a text with a colon needs quotes; quote it: ${JSON.stringify(value.trim())}, or begin a map on the next line`;
}

function reasonOf({ code, message, pos }: YAMLError, text: string): string {
  if (code === 'RESOURCE_EXHAUSTION') return 'it is nested too deeply';
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return unquotedColon(text, pos[0]);
  return message.split('\n')[0] ?? 'not valid YAML';
}

/** A document of a YAML file: its value, its number from 0, and a function that returns the line of a path. */
export interface YamlDocument {
  readonly value: unknown;
  readonly index: number;
  readonly lineOf: (path: Path) => number;
}

/**
 * Reads each document of a YAML file with `read`, which throws BrokenStep with the path of an error. Throws BrokenFile with line and column.
 */
export function readDocuments<T>(text: string, file: string, read: (document: YamlDocument) => T): T[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  if ('empty' in documents || documents.length === 0) throw new BrokenFile(file, 1, 1, 'the file is empty');
  const place = (offset: number) => lines.linePos(offset);
  const filled = documents.filter(
    ({ contents, errors }, index) => index === 0 || contents !== null || errors.length > 0,
  );
  return filled.map((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const unquoted = unquotedReference(text, error.pos[0]);
      const { line, col } = place(unquoted?.offset ?? error.pos[0]);
      throw new BrokenFile(file, line, col, unquoted?.reason ?? reasonOf(error, text));
    }
    const lineOf = (at: Path) => place(offsetOf(document, at)).line;
    try {
      return read({ value: valueOf(document), index, lineOf });
    } catch (problem) {
      if (!(problem instanceof BrokenStep)) throw problem;
      const { line, col } = place(offsetOf(document, problem.path));
      throw new BrokenFile(file, line, col, problem.located);
    }
  });
}

/** Parses the scenarios of a YAML file, one per document; file names are relative to `path`. Throws BrokenFile. */
export function readYaml(text: string, file: string, path: string): Scenario[] {
  return readDocuments(text, file, ({ value, index, lineOf }) => {
    const id = index === 0 ? file : `${file}#${index + 1}`;
    return readScenario(value, { id, file, path, line: lineOf([]), lineOf });
  });
}
