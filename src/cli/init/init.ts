import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { PACKAGE_ROOT, packageVersion } from '../../core/package-root.js';
import { readUserText } from '../../core/user-file.js';
import { parsedObject } from '../usage.js';

/** Paths of the starter's files in the package and in the project, by the option that adds them. */
const FILES = {
  always: {
    'first-steps.yaml': 'scenarios/first-steps.yaml',
    'agent.mjs': 'agent.mjs',
    'scenarios.yml': '.github/workflows/scenarios.yml',
    gitignore: '.gitignore',
  },
  docker: {
    'docker/Dockerfile': 'Dockerfile',
    'docker/compose.yaml': 'compose.yaml',
    'docker/dockerignore': '.dockerignore',
  },
  mcp: { 'mcp.json': '.mcp.json' },
  study: { 'study.yaml': 'studies/daily-limit.yaml' },
} as const;

const NAME = 'agent-bank-sim';

interface Manifest {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest | null {
  if (!existsSync(path)) return null;
  return parsedObject(`nothing was written, since ${path}`, readUserText(path));
}

/** Adds a script for the scenarios and this dependency to package.json; null if both exist. */
function completed(manifest: Manifest | null, folder: string): object | null {
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest ?? {};
  const hasScript = 'scenarios' in scripts;
  const hasPackage = NAME in dependencies || NAME in devDependencies;
  if (hasScript && hasPackage) return null;
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return {
    ...(manifest ?? { name: name === '' ? 'bank-tests' : name, private: true, type: 'module' }),
    scripts: { scenarios: 'sim run scenarios', ...scripts },
    ...(hasPackage ? {} : { devDependencies: { ...devDependencies, [NAME]: packageVersion() } }),
  };
}

/** Whether this package can be imported from a folder. Node also searches the folders above. */
function isInstalled(folder: string): boolean {
  return (
    createRequire(join(resolve(folder), 'package.json'))
      .resolve.paths(NAME)
      ?.some((path) => existsSync(join(path, NAME))) === true
  );
}

/** Whether a project installs this package from a file outside its folder, which a checkout or an image lacks. */
function isOutside({ dependencies = {}, devDependencies = {} }: Manifest): boolean {
  return (devDependencies[NAME] ?? dependencies[NAME] ?? '').startsWith('file:..');
}

/**
 * Writes a starter into a folder: a scenario, an agent, a GitHub workflow, and the missing parts of package.json; with `docker` also a
 * Dockerfile and a Compose file, with `mcp` the configuration of MCP clients, with `study` a first study. Existing files are not changed. Throws UsageError before writing anything.
 */
export function init(args: {
  readonly folder: string;
  readonly docker: boolean;
  readonly mcp: boolean;
  readonly study: boolean;
}): void {
  const { folder, docker, mcp, study } = args;
  const path = join(folder, 'package.json');
  const before = readManifest(path);
  const after = completed(before, folder);
  const kept: string[] = [];
  const files = {
    ...FILES.always,
    ...(docker && FILES.docker),
    ...(mcp && FILES.mcp),
    ...(study && FILES.study),
  };
  for (const [from, name] of Object.entries(files)) {
    const to = join(folder, name);
    if (existsSync(to)) {
      kept.push(to);
      continue;
    }
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(PACKAGE_ROOT, 'fixtures', 'starter', from), to);
    process.stdout.write(`${to}\n`);
  }
  if (after !== null) {
    writeFileSync(path, `${JSON.stringify(after, null, 2)}\n`);
    process.stdout.write(`${path}\n`);
  }
  const notes = [
    kept.length > 0 && `Kept unchanged: ${kept.join(', ')}.`,
    `Next: ${isInstalled(folder) ? '' : 'npm install; '}npx sim run for the scenarios; npx sim start and node agent.mjs for the agent.`,
    before !== null &&
      before.type !== 'module' &&
      'package.json has no "type": "module", so name TypeScript scenarios *.scenario.mts.',
    'Commit package-lock.json, and the archive in vendor/ from which you install: the workflow runs npm ci, which needs them.',
    mcp && 'MCP clients that are opened in this folder read .mcp.json and offer the bank as a server.',
    study && `npx sim study ${FILES.study['study.yaml']} measures a population of agents.`,
    docker && 'docker compose up starts the bank and the agent.',
    before !== null &&
      isOutside(before) &&
      `package.json refers to ${NAME} in a file outside this folder, which CI and containers lack. Copy it to vendor/ and install it from there.`,
  ];
  process.stderr.write(`${notes.filter((note) => note !== false).join('\n')}\n`);
}
