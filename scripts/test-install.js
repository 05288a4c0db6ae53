// Installs this package as its users do, with the versions of npm and Node that they have: a clone with `npm ci`, and the packed
// tarball in an empty project, then vitest and the x402 SDK beside it. Prints a line for each step and its time, and the weight of an
// installation. Exits with 1 when a step fails or npm warns about our choice of packages.
//
//   npm run test:install                                  the whole matrix
//   npm run test:install -- --npm 10.9.4 --node 22        one pair; both may be repeated
//   npm run test:install -- --pair 22:10.9.4 --pair 24:latest --no-clone     packs this folder, as it was built
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPM = ['10.8.2', '10.9.4', '11.0.0', 'latest'];
const NODE = ['20', '22', '24'];
const MOST_MB = 120;
const MOST_PACKAGES = 150;
/** The vitest that docs/start/install.md names: npm before 11.6 cannot work out a range of its versions, in no project. */
const VITEST = `vitest@${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies.vitest}`;

const { values } = parseArgs({
  options: {
    npm: { type: 'string', multiple: true },
    node: { type: 'string', multiple: true },
    pair: { type: 'string', multiple: true },
    'no-clone': { type: 'boolean', default: false },
  },
});
const pairs =
  values.pair?.map((pair) => pair.split(':')) ??
  (values.node ?? NODE).flatMap((node) => (values.npm ?? NPM).map((npm) => [node, npm]));

const work = mkdtempSync(join(tmpdir(), 'test-install-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** Programs of other versions, from the registry. */
const tools = join(work, 'tools');
mkdirSync(tools);
const platform = `${process.platform}-${process.arch}`;
const nodes = [...new Set(pairs.map(([node]) => node))].map((v) => `node${v}@npm:node-${platform}@${v}`);
const npms = [...new Set(pairs.map(([, npm]) => npm))].map((v) => `npm-${v}@npm:npm@${v}`);
writeFileSync(join(tools, 'package.json'), '{}');
execFileSync('npm', ['install', '--no-save', '--silent', ...nodes, ...npms], {
  cwd: tools,
  stdio: 'inherit',
});

const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');

/** Copies what is under version control, as it is in the work tree. */
function copyTo(folder) {
  for (const file of files) {
    if (file === '' || !statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), readFileSync(join(ROOT, file)));
  }
}

let failures = 0;

/** Runs a step of a pair and prints how it went. Gives its output, or null when it failed. */
function step(at, title, args, cwd) {
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(at.node, args, {
    cwd,
    env: at.env,
    encoding: 'utf8',
    timeout: 600_000,
  });
  const output = stdout + stderr;
  const warned = /EBADENGINE|ERESOLVE/.exec(output)?.[0];
  const isFine = status === 0 && warned === undefined;
  check(at, `${title.padEnd(52)} ${((performance.now() - from) / 1_000).toFixed(1).padStart(6)} s`, isFine);
  if (isFine) return stdout;
  console.log((warned === undefined ? '' : `warned: ${warned}\n`) + output.split('\n').slice(-40).join('\n'));
  return null;
}

/** Megabytes and packages of an installation. */
function weight(folder) {
  let bytes = 0;
  let packages = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) bytes += statSync(path).size;
    if (/node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path)) packages += 1;
  }
  return { mb: Math.round(bytes / 1_000_000), packages };
}

const FIXTURE_TEST = `
import { test } from 'agent-bank-sim/vitest';
import { expect } from 'vitest';
test('an agent has what it deposited', async ({ sim }) => {
  await sim.agent(0).fund(5, 'USDC');
  expect((await sim.agent(0).account()).checking.usdc).toBe(5);
});
`;

/** Compiles only when every entry point can be imported and none of its exports is `any`. */
const TYPES_TEST = `
import * as library from 'agent-bank-sim';
import * as x402 from 'agent-bank-sim/x402';
import * as fuzz from 'agent-bank-sim/fuzz';
import * as study from 'agent-bank-sim/study';
import * as vitest from 'agent-bank-sim/vitest';
type NamesOfAny<M> = { [Name in keyof M]-?: 0 extends 1 & M[Name] ? Name : never }[keyof M & string];
type Members<M> = { [Name in keyof M]-?: M[Name] extends abstract new (...given: never[]) => infer I ? NamesOfAny<I> : never }[keyof M & string];
type Leaks<M> = NamesOfAny<M> | Members<M>;
export const leaks: (Leaks<typeof library> | Leaks<typeof x402> | Leaks<typeof fuzz> | Leaks<typeof study> | Leaks<typeof vitest>)[] = [];
export const none: never[] = leaks;
console.log(library, x402, fuzz, study, vitest);
`;
const TYPES_CONFIG = JSON.stringify({
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
  },
  files: ['types.ts'],
});

function project(at, name) {
  const folder = join(work, `${at.name.replaceAll(/[^\w.]/g, '-')}-${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module" }\n');
  writeFileSync(join(folder, 'first.test.js'), FIXTURE_TEST);
  return folder;
}

/** What `sim start` in a project answers where the x402 facilitator is. */
async function facilitator(at, folder) {
  const args = ['node_modules/agent-bank-sim/dist/cli/main.js', 'start', '--port', '0', '--json', '--quiet'];
  const child = spawn(at.node, args, { cwd: folder, env: at.env });
  const [line] = await once(createInterface(child.stdout), 'line');
  const response = await fetch(new URL('/facilitator/supported', JSON.parse(line).baseUrl));
  const body = await response.json();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { status: response.status, body };
}

/** Prints whether something holds. */
function check(at, title, isFine) {
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${at.name.padEnd(24)} ${title}`);
  if (!isFine) failures += 1;
}

/** Compiles what every entry point exports, with the oldest TypeScript that is supported and the newest. */
function compile(at, npm, tarball) {
  const folder = project(at, 'types');
  writeFileSync(join(folder, 'types.ts'), TYPES_TEST);
  writeFileSync(join(folder, 'tsconfig.json'), TYPES_CONFIG);
  const compilers = { 5.9: 'typescript-5@npm:typescript@5.9.3', newest: 'typescript-newest@npm:typescript' };
  const others = ['@types/node@20.19.43', VITEST, ...Object.values(compilers)];
  step(at, 'project: npm i -D <tarball> and two compilers', [npm, 'i', '-D', tarball, ...others], folder);
  for (const [name, compiler] of Object.entries(compilers)) {
    const tsc = join(folder, 'node_modules', compiler.split('@')[0], 'bin', 'tsc');
    step(at, `project: types compile with TypeScript ${name}`, [tsc, '-p', '.'], folder);
  }
  const declarations = readdirSync(join(folder, 'node_modules/agent-bank-sim/dist'), { recursive: true })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => readFileSync(join(folder, 'node_modules/agent-bank-sim/dist', path), 'utf8'));
  check(
    at,
    `project: no any in ${declarations.length} files of declarations`,
    !declarations.some((text) => /[:<|&,(] *any\b/.test(text.replaceAll(/\/\*.*?\*\/|'[^'\n]*'/gs, ''))),
  );
  rmSync(folder, { recursive: true, force: true });
}

/** Packs a folder, and compiles what the tarball exports. */
function pack(at, npm, folder) {
  const args = [npm, 'pack', '--silent', '--ignore-scripts', '--pack-destination', work];
  const name = step(at, 'npm pack', args, folder);
  if (name === null) process.exit(1);
  tarball = join(work, name.trim());
  compile(at, npm, tarball);
}

/** Installs a clone, plays a scenario and some tests in it; packs it when there is no tarball yet. */
function inClone(at, npm, npx) {
  const clone = join(work, 'clone');
  copyTo(clone);
  step(at, 'clone: npm ci', [npm, 'ci'], clone);
  const scenario = 'scenarios/collateral.yaml';
  step(at, `clone: npx sim run ${scenario}`, [npx, 'sim', 'run', scenario], clone);
  step(at, 'clone: some of its tests', [npx, 'vitest', 'run', 'test/simulator/simulator.test.ts'], clone);
  if (tarball === null) pack(at, npm, clone);
  rmSync(clone, { recursive: true, force: true });
}

let tarball = null;
for (const [node, npm] of pairs) {
  const bin = join(tools, 'node_modules', `node${node}`, 'bin');
  const at = {
    name: `node ${node}, npm ${npm}`,
    node: join(bin, 'node'),
    env: {
      ...process.env,
      PATH: bin + delimiter + process.env.PATH,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
  };
  const cli = join(tools, 'node_modules', `npm-${npm}`, 'bin', 'npm-cli.js');
  const npx = join(tools, 'node_modules', `npm-${npm}`, 'bin', 'npx-cli.js');

  if (!values['no-clone']) inClone(at, cli, npx);
  else if (tarball === null) pack(at, cli, ROOT);

  const first = project(at, 'first');
  step(at, 'project: npm i <tarball>', [cli, 'i', tarball], first);
  const { mb, packages } = weight(join(first, 'node_modules'));
  check(at, `project: ${mb} MB in ${packages} packages`, mb <= MOST_MB && packages <= MOST_PACKAGES);
  step(at, 'project: npx sim demo', [npx, 'sim', 'demo'], first);
  step(at, 'project: npx agent-bank-sim --version', [npx, 'agent-bank-sim', '--version'], first);
  step(at, `project: then npm i -D ${VITEST}`, [cli, 'i', '-D', VITEST], first);
  step(at, 'project: npx vitest run', [npx, 'vitest', 'run'], first);
  const missing = await facilitator(at, first);
  const [, sdk] = /npm install (.*)$/.exec(missing.body.error ?? '') ?? [];
  check(at, `project: the facilitator answers ${missing.status} and what to install`, sdk !== undefined);
  step(at, 'project: installs that', [cli, 'i', ...(sdk ?? '').split(' ')], first);
  const { status } = await facilitator(at, first);
  check(at, `project: the facilitator answers ${status}`, status === 200);
  const second = project(at, 'second');
  step(at, `project: npm i -D ${VITEST} <tarball>`, [cli, 'i', '-D', VITEST, tarball], second);
  step(at, 'project: npx vitest run', [npx, 'vitest', 'run'], second);
  for (const folder of [first, second]) rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? 'all passed' : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
