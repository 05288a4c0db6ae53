import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ChildProcess, execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { type RunningPaywall, openPaywall } from '../../src/cli/paywall.js';
import { errorBody } from '../../src/contract/common.js';
import { resolveConfig } from '../../src/runtime/config.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { COMMANDS, byVerb } from '../../src/testing/fuzz-library.js';
import { loadFile } from '../../src/testing/scenario/file/load.js';
import { planStudy } from '../../src/testing/study/plan.js';
import { here } from '../cli/here.js';
import { type Block, ROOT } from '../support/markdown.js';
import { suiteFolder } from '../support/temporary-folder.js';
import { SHIM, commandServer } from './command-server.js';

const EXTENSIONS: Record<string, string> = { js: '.mjs', yaml: '.yaml', sh: '.sh', json: '.json' };
const MAIN = join(ROOT, 'dist', 'cli', 'main.js');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/** An error that includes the output. */
function problem(text: string, ended: { stdout: string; stderr: string }): Error {
  return new Error(`${text}\n${ended.stdout}${ended.stderr}`);
}

/** A regular expression for text in which `…` matches anything. */
function pattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(parts.join('[^]*?'));
}

/** Checks that the comments after `console.log(…);` match the output, in order. */
function checkComments(code: string, stdout: string): void {
  let left = stdout;
  for (const [, comment = ''] of code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)) {
    const found = pattern(comment).exec(left);
    if (found === null) throw new Error(`"${comment}" is not printed, but:\n${left}`);
    left = left.slice(found.index + found[0].length);
  }
}

/** The servers in the configuration of an MCP client. */
type McpServers = Readonly<Record<string, { command?: string; args?: string[]; url?: string }>>;

/** Connects as the client does that reads this configuration, and looks for a tool. */
async function checkMcpServer({ command, args = [], url }: McpServers[string]): Promise<void> {
  const client = new Client({ name: 'docs', version: '1' });
  if (url === undefined) {
    const [name, ...options] = args;
    if (command !== 'npx' || name !== 'sim') throw new Error(`${command} ${name} is not run by this test`);
    const engine = options.includes('--url') ? [] : ['--engine', 'litesvm'];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, ...options, ...engine] }),
    );
  } else await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { isError } = await client.callTool({ name: 'account', arguments: {} });
  await client.close();
  if (isError === true) throw new Error('the server of this configuration has no account');
}

/** Makes a folder a project in which the dependencies of this package are installed. */
function fillProject(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((entry) => !entry.startsWith('.')))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync(join(ROOT, 'fixtures'), join(folder, 'fixtures'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

function execute(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  onBegun: (child: ChildProcess) => void = () => undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(problem(error.message, { stdout, stderr }));
    });
    onBegun(child);
  });
}

/** Whether a file is one of `VitestProject` only. */
export const isTested = (name = '') => /^(?:src|test)\//.test(name);

/** The files of a project for vitest, from all pages: a compiler and a test runner take longer to start than the tests. */
export class VitestProject {
  readonly #folder = suiteFolder();

  add(name: string, code: string): void {
    if (name.includes('/') && existsSync(join(this.#folder, name))) throw new Error(`${name} exists`);
    writeInto(this.#folder, name, code);
  }

  /** Checks the types of all files and runs the tests among them. */
  async run(): Promise<void> {
    fillProject(this.#folder);
    // A copy, as npm installs it. Vitest leaves alone what is in node_modules, and would compile the files that a link leads to.
    const installed = join(this.#folder, 'node_modules', 'agent-bank-sim');
    for (const name of ['package.json', 'dist'])
      cpSync(join(ROOT, name), join(installed, name), { recursive: true });
    // scripts/test-install.js checks the declarations themselves, of every entry point.
    for (const program of [
      [TSC, '--skipLibCheck'],
      [VITEST, 'run', '--no-isolate'],
    ])
      await execute(process.execPath, program, { cwd: this.#folder });
  }
}

/** Writes a file into a folder, and gives its path. */
function writeInto(folder: string, name: string, code: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  return file;
}

/** A project in a temporary folder that runs the blocks of one page against its own simulator. */
export class Page {
  readonly #folder = suiteFolder();
  readonly #tested: VitestProject;
  #servers: { commands: Server; simulator: Simulator; paywall: RunningPaywall } | null = null;
  #env: NodeJS.ProcessEnv = {};
  #substitutions: readonly (readonly [string, string])[] = [];
  #count = 0;
  #printed = '';

  /** Tests are left to `tested`. */
  constructor(tested: VitestProject) {
    this.#tested = tested;
  }

  /** Fills the project and starts its simulator. */
  async open(): Promise<void> {
    fillProject(this.#folder);
    const modules = join(this.#folder, 'node_modules');
    symlinkSync(ROOT, join(modules, 'agent-bank-sim'));
    mkdirSync(join(modules, '.bin'));
    for (const name of ['sim', 'agent-bank-sim', 'npx']) {
      const file = join(modules, '.bin', name);
      writeFileSync(file, SHIM);
      chmodSync(file, 0o755);
    }
    const simulator = await createSimulator({ engine: 'litesvm', history: 200 });
    const { origin } = await simulator.listen({ port: 0 });
    const rpc = await simulator.listenRpc({ port: 0 });
    const onProblem = (error: unknown) => process.stderr.write(`${String(error)}\n`);
    const paywall = await openPaywall(simulator, { host: '127.0.0.1', port: 0, allowHosts: [], onProblem });
    const commands = await commandServer(() => origin);
    this.#servers = { commands: commands.server, simulator, paywall };
    this.#substitutions = [
      ['http://127.0.0.1:4020', origin],
      ['127.0.0.1:8899', new URL(rpc.url).host],
      ['http://127.0.0.1:4021', paywall.url],
      ['port: 4020', 'port: 0'],
      ['port: 8899', 'port: 0'],
      // Small budgets, as those of commands.
      ['count: 40', 'count: 4'],
      ['runs: 8', 'runs: 3'],
      ['numRuns: 30', 'numRuns: 3'],
      ['numRuns: 20', 'numRuns: 2'],
    ];
    this.#env = {
      ...process.env,
      PATH: `${join(modules, '.bin')}:${process.env['PATH']}`,
      COMMAND_PORT: String(commands.port),
      SIM_URL: origin,
      SHOP_URL: paywall.url,
    };
  }

  /** Closes what `open` started. */
  async close(): Promise<void> {
    process.chdir(ROOT);
    this.#servers?.commands.close();
    await this.#servers?.paywall.close();
    await this.#servers?.simulator.close();
  }

  /** Runs or checks a block. Rejects when it fails, or when its output differs from the page. */
  async run(block: Block): Promise<void> {
    const { language, attributes } = block;
    // All at once: a port that was put in may begin with one that is replaced.
    const code = block.code.replaceAll(
      new RegExp(`(?:${this.#substitutions.map(([from]) => from).join('|')})(?!\\d)`, 'g'),
      (found) => this.#substitutions.find(([from]) => from === found)?.[1] ?? found,
    );
    if (language === 'text') {
      this.#checkOutput(code);
      return;
    }
    this.#count += 1;
    const name = attributes['file'] ?? `block-${this.#count}${EXTENSIONS[language] ?? `.${language}`}`;
    const file = writeInto(this.#folder, name, code);
    if ('file' in attributes) this.#tested.add(name, code);
    switch (language) {
      case 'sh':
        return this.#execute('bash', ['-euo', 'pipefail', file]);
      case 'js':
        await (attributes['serves'] === undefined
          ? this.#execute(process.execPath, [file])
          : this.#serve(file));
        return checkComments(code, this.#printed);
      case 'ts':
        // A module of a study, which loads it.
        if (code.includes("'agent-bank-sim/study'")) return;
        if (!isTested(name)) await this.#execute('npx', ['sim', 'run', name]);
        return;
      case 'yaml':
        if (/^population:/m.test(code)) {
          await planStudy(join(this.#folder, name));
          return;
        }
        return this.#scenario(name, code);
      case 'json':
        if (name !== 'tsconfig.json') await this.#json(JSON.parse(code));
        return;
      case 'jsonl':
        return this.#steps(code);
      default:
        throw new Error(`nothing runs a block of language "${language}": name one, or say no-run="why"`);
    }
  }

  async #execute(program: string, args: readonly string[]): Promise<void> {
    this.#printed = await execute(program, args, { cwd: this.#folder, env: this.#env });
  }

  /** A program that runs until Ctrl-C, which is sent after its first output. */
  async #serve(file: string): Promise<void> {
    this.#printed = await execute(process.execPath, [file], { cwd: this.#folder }, (child) =>
      child.stdout?.once('data', () => child.kill('SIGINT')),
    );
    if (this.#printed === '') throw new Error(`${file} printed nothing`);
  }

  /** Runs a scenario; only loads a list of steps. */
  async #scenario(name: string, code: string): Promise<void> {
    process.chdir(this.#folder);
    if (code.startsWith('name:') || code.includes('\nname:')) {
      const ended = await here('run', name, '--engine', 'litesvm');
      if (ended.code !== 0) throw problem(`exit code ${ended.code}`, ended);
      return;
    }
    const fragment = `fragment${extname(name)}`;
    writeFileSync(
      join(this.#folder, fragment),
      `name: Steps of the documentation\nagents: { alice: {}, bob: {} }\nsteps:\n${code.replaceAll(/^/gm, '  ')}`,
    );
    await loadFile(join(this.#folder, fragment), this.#folder);
  }

  /** An error as the service sends it, a configuration of MCP clients, or a configuration file. */
  async #json(value: unknown): Promise<void> {
    const { mcpServers, servers = mcpServers } = value as Readonly<Record<string, McpServers | undefined>>;
    if (servers !== undefined) for (const server of Object.values(servers)) await checkMcpServer(server);
    else this.#checkJson(value);
  }

  #checkJson(value: unknown): void {
    if (typeof value === 'object' && value !== null && 'error' in value) errorBody.parse(value);
    else resolveConfig(value);
  }

  /** Steps of a counterexample. */
  #steps(code: string): void {
    for (const line of code.trim().split('\n')) {
      const { do: name } = JSON.parse(line) as { do: string };
      if (!byVerb(COMMANDS).has(name)) throw new Error(`there is no command ${name}`);
    }
  }

  #checkOutput(text: string): void {
    if (!pattern(text.trim()).test(this.#printed))
      throw new Error(`the block before does not print this, but:\n${this.#printed}`);
  }
}
