import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAYERS = '.oxlintrc.layers.json';

/** What each folder of src may import besides itself. */
const table = JSON.parse(readFileSync(join(ROOT, 'architecture.json'), 'utf8')) as Record<string, string[]>;
const folders = Object.keys(table).toSorted();
const groups = folders.filter((folder) => !folder.includes('/'));

/** Lints files in a temporary folder with the project's rules: the rules reported for each path. */
function lint(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const folder = temporaryFolder();
  for (const name of ['.oxlintrc.json', LAYERS]) copyFileSync(join(ROOT, name), join(folder, name));
  for (const [path, text] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const oxlint = join(ROOT, 'node_modules/.bin/oxlint');
  const { stdout } = spawnSync(oxlint, ['-f', 'json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
  const found = new Map<string, string[]>([...files.keys()].map((path) => [path, []]));
  for (const { filename, code } of diagnostics) found.get(filename)?.push(code);
  return found;
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function mayImport(from: string, to: string): boolean {
  return isWithin(to, from) || (table[from] ?? []).some((allowed) => isWithin(to, allowed));
}

/** Every pair of folders, at two depths, with each form of import. */
function imports(): { path: string; text: string; isAllowed: boolean }[] {
  const ways = [
    (target: string) => `import type { T } from '${target}';\nexport type U = T;\n`,
    (target: string) => `import * as all from '${target}';\nexport { all };\n`,
    (target: string) => `export * from '${target}';\n`,
    (target: string) => `export const later = () => import('${target}');\n`,
  ];
  return folders.flatMap((from) =>
    folders
      .filter((to) => to !== from)
      .flatMap((to) =>
        ['', 'zz-deep/'].flatMap((deeper) =>
          ways.map((textOf, way) => {
            const path = `src/${from}/${deeper}zz-${to.replaceAll('/', '-')}-${way}.ts`;
            const target = relative(dirname(path), `src/${to}/zz-target.js`);
            return {
              path,
              text: textOf(target.startsWith('.') ? target : `./${target}`),
              isAllowed: mayImport(from, to),
            };
          }),
        ),
      ),
  );
}

describe('lint layers', () => {
  it(
    'reject every import between folders that architecture.json does not allow, including type imports, and no other',
    { tags: ['slow'] },
    () => {
      const all = imports();
      const found = lint(new Map(all.map(({ path, text }) => [path, text])));
      const isRefused = (path: string) =>
        (found.get(path) ?? []).some((code) => code.includes('no-restricted-imports'));
      const wrong = all.filter(({ path, isAllowed }) => isRefused(path) === isAllowed);
      expect(wrong.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
      expect(all.filter(({ isAllowed }) => !isAllowed).length).toBeGreaterThan(1_000);
    },
  );

  it('are generated from architecture.json', () => {
    const before = readFileSync(join(ROOT, LAYERS), 'utf8');
    const folder = temporaryFolder();
    const file = join(folder, LAYERS);
    execFileSync(process.execPath, [join(ROOT, 'scripts/write-lint-layers.js'), file], { cwd: ROOT });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(before));
  });

  it('list every folder of src as a group', () => {
    const found = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(found.toSorted()).toEqual(groups.toSorted());
  });

  it('have no cycle', () => {
    const next = (from: string) => {
      const allowed = table[from] ?? [];
      // A file that may be imported stands for the innermost folder around it.
      const around = allowed.map((path) => folders.findLast((folder) => isWithin(path, folder)));
      return folders.filter(
        (to) => to !== from && (around.includes(to) || allowed.some((path) => isWithin(to, path))),
      );
    };
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
      if (seen.has(from)) return false;
      seen.add(from);
      return next(from).some((each) => each === to || reaches(each, to, seen));
    };
    expect(folders.filter((folder) => reaches(folder, folder))).toEqual([]);
  });

  it('forbid Date.now, Math.random and process in rules, world, bank and faults', () => {
    const text =
      'export const now = Date.now();\nexport const chance = Math.random();\nexport const id = process.pid;\n';
    const paths = ['core/domain', 'world', 'bank', 'runtime/faults'].map((folder) => `src/${folder}/zz.ts`);
    const found = lint(new Map(paths.map((path) => [path, text])));
    for (const path of paths)
      expect(
        (found.get(path) ?? []).filter((code) => /no-restricted-(properties|globals)/.test(code)),
        path,
      ).toHaveLength(3);
  });

  it("forbid Node imports in the bank's rules", () => {
    const path = 'src/core/domain/zz.ts';
    const found = lint(
      new Map([[path, "import { readFileSync } from 'node:fs';\nexport { readFileSync };\n"]]),
    );
    expect(found.get(path)?.join()).toContain('no-restricted-imports');
  });
});
