// Checks the English of the documentation, of comments in its examples, of the texts in the code and of the project's YAML files: sentences
// of at most 30 words, and the patterns of scripts/prose/rules.yml.
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Visitor, parseSync } from 'oxc-parser';
import { createLinter, loadTextlintrc } from 'textlint';
import { isScalar, parseAllDocuments, visit } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A text of a file and where it begins. */
interface Passage {
  readonly at: number;
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
function passagesOfCode(code: string, path: string): Passage[] {
  const { program, comments } = parseSync(path, code);
  const found: Passage[] = [];
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
  return found;
}

/** The comments of lines, such as of the examples in a page or of a YAML file. */
function lineComments(code: string, begins = 0): Passage[] {
  return [...code.matchAll(/(?:^|\s)(?:#|\/\/) ((?:.*)(?:\n\s*(?:#|\/\/) .*)*)/g)].map(
    ({ index, 1: text = '' }) => ({
      at: begins + index + 1,
      text: text.replaceAll(/\n\s*(?:#|\/\/) /g, ' '),
    }),
  );
}

/** The comments of a page's examples, which the linter of Markdown skips. */
function passagesOfExamples(page: string): Passage[] {
  return [...page.matchAll(/^```(?:ts|js|yaml|sh|bash|python)\b.*\n([^]*?)^```/gm)].flatMap(
    ({ index, 0: block }) => lineComments(block, index),
  );
}

/** The texts of a YAML file: its strings and comments. */
function passagesOfYaml(source: string): Passage[] {
  const found = lineComments(source);
  for (const document of parseAllDocuments(source))
    visit(document, {
      Scalar: (_key, node) => {
        if (isScalar(node) && typeof node.value === 'string')
          found.push({ at: node.range?.[0] ?? 0, text: node.value });
      },
    });
  return found;
}

const descriptor = await loadTextlintrc({ configFilePath: join(ROOT, '.textlintrc.json') });
const linter = createLinter({ descriptor });
let problems = 0;

function report(where: string, message: string): void {
  problems += 1;
  process.stdout.write(`${where}: ${message}\n`);
}

/** Checks the texts of a file that are sentences. */
async function checkPassages(path: string, source: string, passages: readonly Passage[]): Promise<void> {
  const sentences = passages.filter(({ text }) => isSentence(text));
  // One line for each text, so that the line of a message names the text.
  const lines = sentences.map(({ text }) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/`[^`]*`/g, 'code'));
  const { messages } = await linter.lintText(lines.join('\n\n'), `${path}.txt`);
  for (const { line, message } of messages) {
    const { at, text } = sentences[(line - 1) / 2];
    report(`${path}:${source.slice(0, at).split('\n').length}`, `${message}\n    ${text.slice(0, 160)}`);
  }
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
const named = process.argv.slice(2);
const paths =
  named.length === 0
    ? [
        ...PAGES,
        ...['docs', 'scenarios', 'studies', 'fixtures/starter', 'src'].flatMap((folder) =>
          filesIn(folder, /\.(?:md|ya?ml|tsx?)$/),
        ),
      ]
    : named.flatMap((name) => (extname(name) !== '' ? [name] : filesIn(name, /\.(?:md|ya?ml|tsx?)$/)));
for (const path of paths) {
  const source = readFileSync(join(ROOT, path), 'utf8');
  if (path.endsWith('.md')) {
    const { messages } = await linter.lintText(source, path);
    for (const { line, message } of messages) report(`${path}:${line}`, message);
    await checkPassages(path, source, passagesOfExamples(source));
  } else {
    await checkPassages(
      path,
      source,
      /\.ya?ml$/.test(path) ? passagesOfYaml(source) : passagesOfCode(source, path),
    );
  }
}
if (problems > 0) {
  process.stdout.write(`${problems} ${problems === 1 ? 'problem' : 'problems'}\n`);
  process.exitCode = 1;
}
