// Checks the English of the documentation and of the texts in the code: sentences of at most 30 words, and the
// patterns of scripts/prose/rules.yml.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Visitor, parseSync } from 'oxc-parser';
import { createLinter, loadTextlintrc } from 'textlint';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A text of the code and the line on which it begins. */
interface Passage {
  readonly line: number;
  readonly text: string;
}

function filesIn(folder: string, extension: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extension.test(name))
    .map((name) => join(folder, name))
    .toSorted();
}

/** Whether a string of the code is a text for people: three words or more in a row, and neither markup nor CSS. */
function isSentence(text: string): boolean {
  return (
    /\p{L}{2,}[,:;]? \p{L}+[,:;]? \p{L}{2,}/u.test(text) && !/<\/?\w+(?: \w+="|>\S)|\{[^}]*:[^}]*;/.test(text)
  );
}

/** The texts of a source file: strings, templates with `X` for what is put in, text of JSX, and documentation comments. */
function passagesOf(path: string): Passage[] {
  const code = readFileSync(join(ROOT, path), 'utf8');
  const { program, comments } = parseSync(path, code);
  const found: { at: number; text: string }[] = [];
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') found.push({ at: start, text: value });
    },
    JSXText: ({ value, start }) => found.push({ at: start, text: value.replaceAll(/\s+/g, ' ').trim() }),
    TemplateLiteral: ({ quasis, start }) =>
      found.push({ at: start, text: quasis.map(({ value }) => value.cooked ?? value.raw).join('X') }),
  }).visit(program);
  for (const { type, value, start } of comments)
    if (type === 'Block' && value.startsWith('*'))
      found.push({
        at: start,
        text: value
          .replaceAll(/\s*\n\s*\* ?/g, ' ')
          .replace(/^\*+\s*/, '')
          .trim(),
      });
  return found
    .filter(({ text }) => isSentence(text))
    .map(({ at, text }) => ({ line: code.slice(0, at).split('\n').length, text }));
}

const descriptor = await loadTextlintrc({ configFilePath: join(ROOT, '.textlintrc.json') });
const linter = createLinter({ descriptor });
let problems = 0;

function report(where: string, message: string): void {
  problems += 1;
  process.stdout.write(`${where}: ${message}\n`);
}

const named = process.argv.slice(2);
const isAll = named.length === 0;
const pages = isAll
  ? ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...filesIn('docs', /\.md$/)]
  : named.filter((name) => name.endsWith('.md'));
const folders = isAll ? ['src'] : named.filter((name) => !name.endsWith('.md'));
for (const page of pages) {
  const { messages } = await linter.lintText(readFileSync(join(ROOT, page), 'utf8'), page);
  for (const { line, message } of messages) report(`${page}:${line}`, message);
}
for (const path of folders.flatMap((folder) => filesIn(folder, /\.tsx?$/))) {
  const passages = passagesOf(path);
  // One line for each text, so that the line of a message names the text.
  const text = passages
    .map((passage) => passage.text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/`[^`]*`/g, 'code'))
    .join('\n\n');
  const { messages } = await linter.lintText(text, `${path}.txt`);
  for (const { line, message } of messages) {
    const passage = passages[(line - 1) / 2];
    report(`${path}:${passage?.line}`, `${message}\n    ${passage?.text.slice(0, 160)}`);
  }
}
if (problems > 0) {
  process.stdout.write(`${problems} ${problems === 1 ? 'problem' : 'problems'}\n`);
  process.exitCode = 1;
}
