// Builds dist: the commands and the library in few files, with the packages they use inside, so that a command starts quickly and
// an installation is small; type declarations beside them; the inspector; and the licences of what was bundled.
// `--no-types` leaves the declarations as they are, which takes a second.
// Native packages stay outside, and so does what users choose themselves (vitest, the x402 SDK) and what TypeScript scenarios need.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { bin, dependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

/** Dependencies whose code is bundled all the same: they are installed for their types, which ours refer to. */
const FOR_TYPES = new Set(['fast-check', 'hono', 'immutable', 'zod']);
const outside = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)].filter(
  (name) => !FOR_TYPES.has(name),
);

const withTypes = !process.argv.includes('--no-types');
for (const old of withTypes ? ['.'] : ['chunks', 'inspector'])
  rmSync(join(ROOT, 'dist', old), { recursive: true, force: true });
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
  outdir: 'dist',
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
  external: [...outside.flatMap((name) => [name, `${name}/*`]), 'vitest', 'bufferutil', 'utf-8-validate'],
  // Bundled CommonJS packages require Node's own modules.
  banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
});

/** The module `theme.css` of the inspector: what the pages and reports of the simulator look like, too. */
const theme = {
  name: 'theme',
  setup: ({ onResolve, onLoad }) => {
    const source = join(ROOT, 'src/api/html/theme.ts');
    onResolve({ filter: /^theme\.css$/ }, () => ({ path: source, namespace: 'theme' }));
    onLoad({ filter: /.*/, namespace: 'theme' }, async () => {
      const { outputFiles } = await build({ entryPoints: [source], write: false, format: 'esm' });
      const { THEME } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
      return { contents: THEME, loader: 'css' };
    });
  },
};

// The inspector: a page for browsers, whose files are named by their contents so that they can be cached for good.
const page = await build({
  absWorkingDir: ROOT,
  entryPoints: { inspector: 'src/inspector/main.tsx' },
  outdir: 'dist/inspector',
  entryNames: 'assets/[name]-[hash]',
  bundle: true,
  preserveSymlinks: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17.2'],
  minify: true,
  metafile: true,
  legalComments: 'none',
  plugins: [theme],
  logLevel: 'warning',
});
for (const path of Object.keys(page.metafile.inputs)) {
  if (!/^(?:src\/inspector\/|node_modules\/|theme:)/.test(path))
    throw new Error(`${path} is in the page, which may import types of the rest only`);
}
const assetOf = (extension) =>
  `assets/${basename(Object.keys(page.metafile.outputs).find((path) => path.endsWith(extension)))}`;
mkdirSync(join(ROOT, 'dist/inspector'), { recursive: true });
writeFileSync(
  join(ROOT, 'dist/inspector/index.html'),
  readFileSync(join(ROOT, 'src/inspector/index.html'), 'utf8')
    .replace('{{style}}', assetOf('.css'))
    .replace('{{script}}', assetOf('.js')),
);

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const inputs = [metafile, page.metafile].flatMap(({ inputs: paths }) => Object.keys(paths));
const bundled = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
const licences = [...bundled].toSorted().map((name) => {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(
  join(ROOT, 'dist', 'THIRD-PARTY-LICENSES.txt'),
  `The files of this folder contain code of these packages.\n\n${licences.join(`\n${'-'.repeat(72)}\n\n`)}`,
);

if (withTypes) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
}

function isLinkTo(link, target) {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
}

// The commands of a clone, for those who put node_modules/.bin on their PATH as the README shows: npm links only those of dependencies,
// and npx installs a clone into its cache before it looks here.
for (const [name, file] of Object.entries(bin)) {
  const link = join(ROOT, 'node_modules', '.bin', name);
  const target = join('..', '..', file);
  chmodSync(join(ROOT, file), 0o755);
  if (process.platform === 'win32' || isLinkTo(link, target)) continue;
  rmSync(link, { force: true });
  symlinkSync(target, link);
}
