// Builds dist: the commands and the library in few files, with the packages they use inside, so that a command starts quickly and
// an installation is small; type declarations beside them; the inspector; and the licences of what was bundled.
// Does nothing when dist was built from the same files. Otherwise builds into a folder beside dist and moves file after file from there, so
// that a command which runs or starts meanwhile finds its files. `--no-types` leaves the declarations as they are, which takes a second.
// Native packages stay outside, and so does what users choose themselves (vitest, the x402 SDK) and what TypeScript scenarios need.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const { bin, dependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

/** Dependencies whose code is bundled all the same: they are installed for their types, which ours refer to. */
const FOR_TYPES = new Set(['hono', 'immutable', 'zod']);
const outside = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)].filter(
  (name) => !FOR_TYPES.has(name),
);

const withTypes = !process.argv.includes('--no-types');

/** Paths of the files in a folder and its folders, relative to it, in order; without hidden ones. */
function filesIn(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
  return paths.filter((path) => !path.startsWith('.')).toSorted();
}

/** A digest of all that dist is made of. */
function digestOfSources() {
  const hash = createHash('sha256');
  const settings = readdirSync(ROOT).filter((name) => /^(?:package|tsconfig).*\.json$/.test(name));
  const sources = filesIn(join(ROOT, 'src')).map((path) => join('src', path));
  for (const path of [...settings.toSorted(), 'scripts/build.js', ...sources])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  return hash.digest('hex');
}

/** What a build leaves about itself: the digest of its sources, whether it wrote declarations, and its files. */
const STAMP = join(DIST, '.build.json');
const before = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : { files: [] };
const digest = digestOfSources();

/** zod's messages in English alone: those in sixty other languages are more than half of it, and every command would load them. */
const inEnglish = {
  name: 'in-english',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, '../locales/en.js'),
    }));
  },
};

/** Paths of what the commands and the library are made of. */
async function buildCommands(out) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      'cli/main': 'src/cli/main.ts',
      index: 'src/index.ts',
      'testing/fuzz-library': 'src/testing/fuzz-library.ts',
      'testing/study-library': 'src/testing/study-library.ts',
      'testing/vitest/index': 'src/testing/vitest/index.ts',
      'sdk/x402/index': 'src/sdk/x402/index.ts',
    },
    outdir: out,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    // Of a copy of the source, the packages may be a link to another folder's.
    preserveSymlinks: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    metafile: true,
    logLevel: 'warning',
    // Names stay as they are, for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line that threw an error before the error.
    lineLimit: 200,
    external: [...outside.flatMap((name) => [name, `${name}/*`]), 'vitest', 'bufferutil', 'utf-8-validate'],
    // Bundled CommonJS packages require Node's own modules.
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    plugins: [inEnglish],
  });
  return Object.keys(metafile.inputs);
}

/** The values that a module of src exports. esbuild may ask for several at once, so each has a file of its own, in dist, where Node finds the packages. */
async function exportsOf(source) {
  const file = join(DIST, `.evaluated-${process.pid}-${basename(source)}.mjs`);
  try {
    const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node' };
    await build({ entryPoints: [source], outfile: file, ...options });
    return { ...(await import(pathToFileURL(file).href)) };
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * What the inspector has of other folders, as values: `theme.css`, which is what the pages and reports of the simulator look like, too; and
 * the names of the control interface.
 */
const evaluated = {
  name: 'evaluated',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'evaluated';
    onResolve({ filter: /^theme\.css$/ }, () => ({ path: join(ROOT, 'src/api/html/theme.ts'), namespace }));
    onResolve({ filter: /api\/control\/names\.js$/ }, () => ({
      path: join(ROOT, 'src/api/control/names.ts'),
      namespace,
    }));
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const { THEME, ...names } = await exportsOf(path);
      return THEME === undefined
        ? { contents: JSON.stringify(names), loader: 'json' }
        : { contents: THEME, loader: 'css' };
    });
  },
};

/**
 * Paths of what the inspector is made of: a page for browsers, whose files are named by their contents so that they can be cached for
 * good.
 */
async function buildInspector(out) {
  const page = await build({
    absWorkingDir: ROOT,
    entryPoints: { inspector: 'src/inspector/main.tsx' },
    outdir: join(out, 'inspector'),
    entryNames: 'assets/[name]-[hash]',
    bundle: true,
    preserveSymlinks: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.2'],
    minify: true,
    metafile: true,
    legalComments: 'none',
    plugins: [evaluated],
    logLevel: 'warning',
  });
  for (const path of Object.keys(page.metafile.inputs)) {
    if (!/^(?:src\/inspector\/|node_modules\/|evaluated:)/.test(path))
      throw new Error(`${path} is in the page, which may import types of the rest only`);
  }
  const assetOf = (extension) =>
    `assets/${basename(Object.keys(page.metafile.outputs).find((path) => path.endsWith(extension)))}`;
  writeFileSync(
    join(out, 'inspector', 'index.html'),
    readFileSync(join(ROOT, 'src/inspector/index.html'), 'utf8')
      .replace('{{style}}', assetOf('.css'))
      .replace('{{script}}', assetOf('.js')),
  );
  return Object.keys(page.metafile.inputs);
}

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** The licences of the packages whose files are bundled. */
function licencesOf(inputs) {
  const bundled = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const licences = [...bundled]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const folder = join(ROOT, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    });
  return `The files of this folder contain code of these packages.\n\n${licences.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

function writeTypes(out) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

/** Runs a stage and prints its name, then how long it took; on stderr, since npm pack prints a name on stdout. */
async function stage(name, work) {
  const from = performance.now();
  process.stderr.write(`build: ${name} … `);
  const result = await work();
  process.stderr.write(`${((performance.now() - from) / 1_000).toFixed(1)} s\n`);
  return result;
}

/** Removes files of earlier builds. A command that still runs may load chunks of the last one, which a package is to be without. */
function removeOld({ files, mayRun }) {
  const kept = new Set([...files, ...mayRun]);
  for (const path of filesIn(DIST)) {
    const isOurs = withTypes || !path.endsWith('.d.ts');
    if (isOurs && !kept.has(path)) rmSync(join(DIST, path), { force: true });
  }
}

/** Builds into a hidden folder of dist, then moves file after file from there: chunks first, before what imports them. */
async function buildAll() {
  mkdirSync(DIST, { recursive: true });
  const out = mkdtempSync(join(DIST, '.building-'));
  process.on('exit', () => rmSync(out, { recursive: true, force: true }));
  const inputs = [
    ...(await stage('commands and library', () => buildCommands(out))),
    ...(await stage('inspector', () => buildInspector(out))),
  ];
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licencesOf(inputs));
  if (withTypes) await stage('type declarations', () => writeTypes(out));
  for (const file of Object.values(bin)) chmodSync(join(out, relative('dist', file)), 0o755);
  const files = filesIn(out);
  const isImported = (path) => /^(?:chunks|inspector.assets)/.test(path);
  for (const path of [...files.filter(isImported), ...files.filter((each) => !isImported(each))]) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    renameSync(join(out, path), join(DIST, path));
  }
  writeFileSync(STAMP, JSON.stringify({ digest, hasTypes: withTypes, files }));
  removeOld({ files, mayRun: before.files.filter(isImported) });
}

const isFresh = before.digest === digest && (before.hasTypes || !withTypes);
if (!isFresh) await buildAll();
else if (process.env.npm_command === 'pack') removeOld({ files: before.files, mayRun: [] });
