import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface Position {
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

/** A change of the source that a good check notices. */
export interface Mutant {
  /** Equal for equal changes of equal lines, wherever in the file they stand. */
  readonly id: string;
  readonly file: string;
  readonly operator: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
  /** The lines that change, before and after. */
  readonly before: string;
  readonly after: string;
}

/** A mutant that behaves as the original does, so that nothing can notice it. */
export interface Equivalent {
  /** `*` for all, where `before` and `after` are the texts that are exchanged instead of whole lines. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** A mutant as the list has it; `place` is what the source notes where the mutant is built in. */
type Listed = Omit<Mutant, 'id' | 'before' | 'after'> & { readonly place: string };

/** What is sampled unless folders are given: the bank, its rules, the HTTP service, and the chain without clients of real clusters. */
export const FOLDERS = [
  'src/core/domain',
  'src/core/journal',
  'src/contract',
  'src/world',
  'src/bank',
  'src/chain',
  'src/api/http',
  'src/api/pipeline',
];
/** Clients of real clusters, and what finds the native build for a platform: a campaign has one platform. */
const LEFT_OUT = ['src/chain/cluster/', 'src/chain/engines/native.ts'];

function offsetOf(lines: readonly string[], { line, column }: Position): number {
  return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, column);
}

/** The text of a file with a mutant in it. In parentheses, where the bare replacement is no valid program. */
export function mutated(
  text: string,
  mutant: Pick<Mutant, 'location' | 'replacement'>,
  inParentheses = false,
): string {
  const lines = text.split('\n');
  const { start, end } = mutant.location;
  const replacement = inParentheses ? `(${mutant.replacement})` : mutant.replacement;
  return text.slice(0, offsetOf(lines, start)) + replacement + text.slice(offsetOf(lines, end));
}

function identified({ place: _, ...listed }: Listed, text: string): Mutant {
  const { start, end } = listed.location;
  const lines = text.split('\n');
  const changed = mutated(text, listed).split('\n');
  const after = changed.slice(start.line, end.line + 1 + changed.length - lines.length);
  const lean = (parts: readonly string[]) => parts.map((line) => line.trim()).join('\n');
  const mutant = { ...listed, before: lean(lines.slice(start.line, end.line + 1)), after: lean(after) };
  const hash = createHash('sha256').update(JSON.stringify([mutant.file, mutant.before, mutant.after]));
  return { ...mutant, id: hash.digest('hex').slice(0, 16) };
}

function sourcesIn(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

/** Every mutant of the files below some folders, by its place. With all of them built in, the files are also written to `into`. */
export function mutantsByPlace(
  root: string,
  folders: readonly string[],
  into?: string,
): ReadonlyMap<string, Mutant> {
  const files = folders
    .flatMap((folder) => sourcesIn(root, folder))
    .filter((file) => !LEFT_OUT.some((out) => file.startsWith(out)));
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const target = into === undefined ? [] : ['--into', into];
  const told = execFileSync(process.execPath, [join(root, 'mutants/list.js'), ...target, ...files], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return new Map(
    (JSON.parse(told) as Listed[]).map((listed) => [
      listed.place,
      identified(listed, texts.get(listed.file) ?? ''),
    ]),
  );
}

/** Every mutant of the files below some folders. Two that read the same count once. */
export function allMutants(root: string, folders: readonly string[]): Mutant[] {
  const all = mutantsByPlace(root, folders).values();
  return [...new Map(Array.from(all, (mutant) => [mutant.id, mutant])).values()];
}

/** A sample by a seed: a mutant stays in it when other parts of the source change. */
export function sample(mutants: readonly Mutant[], seed: string, size: number): Mutant[] {
  const place = ({ id }: Mutant) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const placed = mutants.map((mutant) => ({ mutant, at: place(mutant) }));
  return placed
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

/** Why a mutant is equivalent; null when it is not known to be. */
export function reasonOf(mutant: Mutant, equivalents: readonly Equivalent[]): string | null {
  const { file, before, after } = mutant;
  const isKnown = (other: Equivalent) =>
    other.file === '*'
      ? before.includes(other.before) && before.replace(other.before, other.after) === after
      : other.file === file && other.before === before && other.after === after;
  return equivalents.find(isKnown)?.reason ?? null;
}
