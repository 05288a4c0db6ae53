// Writes .oxlintrc.layers.json from architecture.json, which names for each folder of src what it may import besides itself; the
// innermost folder of a file counts. `npm run layers`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';

const TABLE = fileURLToPath(new URL('../architecture.json', import.meta.url));
const FILE = process.argv[2] ?? fileURLToPath(new URL('../.oxlintrc.layers.json', import.meta.url));
const DEEPEST = 6;
/** Folders whose files do no input or output: they import nothing of Node's. */
const PURE = ['core/domain'];
/** Folders of pages: they import nothing of Node's either, and have JSX. */
const PAGES = ['inspector'];

/** How many folders two paths begin with in common. */
function commonFolders(a, b) {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

/** The rule for the files that lie so many folders deep in a folder. */
function override(folder, allowed, depth) {
  const own = folder.split('/');
  const up = (folders) => '../'.repeat(folders);
  const permitted = allowed.flatMap((path) => {
    const parts = path.split('/');
    const shared = commonFolders(own, parts);
    const rest = parts.slice(shared).join('/');
    // A folder around this one: what lies further out stays forbidden.
    if (rest === '')
      return [`!${up(own.length + depth - shared)}**`, `${up(own.length + depth - shared + 1)}**`];
    return `!${up(own.length + depth - shared)}${rest.endsWith('.ts') ? rest.replace(/ts$/, 'js') : `${rest}/**`}`;
  });
  return {
    files: [`src/${folder}/${'*/'.repeat(depth)}*.${PAGES.includes(folder) ? '{ts,tsx}' : 'ts'}`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                `${up(depth + 1)}**`,
                ...permitted,
                ...([...PURE, ...PAGES].includes(folder) ? ['node:*'] : []),
              ],
              message: `${folder} may import ${allowed.join(', ') || 'nothing else of src'} (architecture.json)`,
            },
          ],
        },
      ],
    },
  };
}

const table = JSON.parse(readFileSync(TABLE, 'utf8'));
// Of two rules for a file the later one holds, so inner folders come after those around them.
const folders = Object.keys(table).toSorted((a, b) => a.split('/').length - b.split('/').length);
const overrides = folders.flatMap((folder) =>
  Array.from({ length: DEEPEST - folder.split('/').length }, (_, depth) =>
    override(folder, table[folder], depth),
  ),
);
const text = JSON.stringify({ overrides });
writeFileSync(FILE, (await format('layers.json', text, { printWidth: 110 })).code);
