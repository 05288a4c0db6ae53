import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageVersion } from '../../src/core/package-root.js';
import { here } from './here.js';
import { rawRequest } from '../support/raw-http.js';
import { Command, served, startedCommand } from './process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const manifest = (at: string): unknown => JSON.parse(read(at, 'package.json'));

/** A new folder in which `sim init` has succeeded. */
async function initialized(...options: string[]): Promise<string> {
  const at = temporaryFolder();
  expect((await here('init', at, ...options)).code).toBe(0);
  return at;
}

interface Compose {
  readonly services: Record<
    'bank' | 'agent',
    { readonly command: readonly string[]; readonly healthcheck: { readonly test: readonly string[] } }
  >;
}

describe('sim init', () => {
  it('adds missing members to package.json and leaves the existing ones unchanged', async () => {
    const at = temporaryFolder();
    const mine = {
      name: 'mine',
      scripts: { test: 'vitest' },
      dependencies: { 'agent-bank-sim': 'file:../sim.tgz' },
      type: 'commonjs',
    };
    writeFileSync(join(at, 'package.json'), JSON.stringify(mine));
    expect((await here('init', at)).code).toBe(0);
    expect(manifest(at)).toEqual({ ...mine, scripts: { scenarios: 'sim run scenarios', test: 'vitest' } });
  });

  it.each(['{"name": ', '[]'])('writes nothing when package.json is invalid: %s', async (text) => {
    const at = temporaryFolder();
    writeFileSync(join(at, 'package.json'), text);
    const { code, stderr } = await here('init', at);
    expect(code).toBe(2);
    expect(stderr).toContain('nothing was written');
    expect(readdirSync(at)).toEqual(['package.json']);
    expect(read(at, 'package.json')).toBe(text);
  });

  it('keeps existing files, so --docker can be added later', async () => {
    const at = temporaryFolder();
    writeFileSync(join(at, 'agent.mjs'), 'mine');
    const first = await here('init', at);
    expect([first.code, first.stderr.split('\n')[0]]).toEqual([
      0,
      `Kept unchanged: ${join(at, 'agent.mjs')}.`,
    ]);
    expect(read(at, 'agent.mjs')).toBe('mine');
    const second = await here('init', at, '--docker');
    expect(second.code).toBe(0);
    expect(second.stdout.trim().split('\n')).toEqual(
      ['Dockerfile', 'compose.yaml', '.dockerignore'].map((name) => join(at, name)),
    );
  });

  it('warns about a file dependency that CI and containers cannot resolve', async () => {
    const at = temporaryFolder();
    const devDependencies = { 'agent-bank-sim': 'file:../agent-bank-sim-0.1.0.tgz' };
    writeFileSync(join(at, 'package.json'), JSON.stringify({ devDependencies }));
    expect((await here('init', at)).stderr).toContain('Copy it to vendor/');
  });
});

describe('what sim init writes', { tags: ['slow'] }, () => {
  it('writes a scenario that passes, an agent, a workflow and package.json', async () => {
    const at = temporaryFolder();
    const { code, stdout, stderr } = await here('init', at);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(5);
    expect(stderr).toContain('npm install');
    const played = await here('run', join(at, 'scenarios'), '--engine', 'litesvm');
    expect(played.code, played.stdout + played.stderr).toBe(0);
    expect(played.stdout).toContain('2 scenarios: 2 passed');
    expect(read(at, '.github/workflows/scenarios.yml')).toContain('node_modules/.bin/sim run');
    expect(manifest(at)).toMatchObject({
      name: expect.stringMatching(/^sim-test-[\w-]+$/) as string,
      private: true,
      type: 'module',
      scripts: { scenarios: 'sim run scenarios' },
      devDependencies: { 'agent-bank-sim': packageVersion() },
    });
  });

  it('writes a configuration of MCP clients whose server starts, with --mcp', async () => {
    const at = await initialized('--mcp');
    const { mcpServers } = JSON.parse(read(at, '.mcp.json')) as {
      mcpServers: { bank: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.bank;
    expect([command, args[0], args[1]]).toEqual(['npx', 'sim', 'mcp']);
    // stdin has ended, and so does the server.
    const server = new Command([...args.slice(1), '--engine', 'litesvm']);
    expect(await server.ended(), server.stderr).toBe(0);
  });

  it('writes a study that runs, with --study', async () => {
    const at = await initialized('--study');
    const out = join(at, 'results');
    const file = join(at, 'studies/daily-limit.yaml');
    writeFileSync(file, read(file).replace('count: 40', 'count: 4'));
    const { code, stdout } = await here('study', file, '--out', out);
    expect(code).toBe(0);
    expect(stdout).toContain('6 runs of 3 points');
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['manifest.json', 'metrics.csv']));
  });

  it('says npm install only where the package is not installed, and how TypeScript files are named there', async () => {
    const at = temporaryFolder();
    writeFileSync(join(at, 'package.json'), '{"type": "commonjs"}');
    const first = await here('init', at);
    expect(first.stderr).toContain('Next: npm install; npx sim run');
    expect(first.stderr).toContain('*.scenario.mts');
    mkdirSync(join(at, 'node_modules'));
    symlinkSync(process.cwd(), join(at, 'node_modules', 'agent-bank-sim'));
    expect((await here('init', at, '--mcp')).stderr).not.toContain('npm install');
    const file = join(at, 'scenarios', 'own.scenario.mts');
    writeFileSync(
      file,
      "import { scenario } from 'agent-bank-sim';\nawait Promise.resolve();\nexport default scenario('own', async ({ agent }) => { await (await agent('alice')).account(); });\n",
    );
    const command = new Command(['run', file, '--engine', 'litesvm']);
    expect(await command.ended(), command.stderr).toBe(0);
    const other = await here('init', temporaryFolder());
    expect(other.stderr).not.toContain('.mts');
  });

  it('writes runnable containers with --docker: bank, health check and agent', async () => {
    const at = await initialized('--docker');
    expect(readdirSync(at)).toEqual(expect.arrayContaining(['.dockerignore', 'Dockerfile', 'compose.yaml']));
    const { bank } = (parse(read(at, 'compose.yaml').replaceAll(/\$\{(\w+):-([^}]*)\}/g, '$2')) as Compose)
      .services;
    const [program, ...args] = bank.command;
    expect(program).toBe('node_modules/.bin/sim');
    const { ready } = await served(startedCommand([...args, '--port', '0', '--json', '--quiet']));
    const { baseUrl } = ready;
    const [, node = '', ...check] = bank.healthcheck.test;
    expect(node).toBe('node');
    const healthy = check.map((word) => word.replaceAll('http://bank:4020', new URL(baseUrl).origin));
    await promisify(execFile)(process.execPath, healthy);
    const port = Number(new URL(baseUrl).port);
    const card = 'GET /.well-known/agent.json HTTP/1.1\r\nhost: ';
    expect((await rawRequest(port, `${card}bank:4020`)).status).toBe(200);
    expect((await rawRequest(port, `${card}evil.example`)).status).toBe(403);

    // The agent resolves the package as in a project.
    mkdirSync(join(at, 'node_modules'));
    symlinkSync(process.cwd(), join(at, 'node_modules', 'agent-bank-sim'));
    const env = { ...process.env, BANK_URL: baseUrl, CONTROL_TOKEN: 'only-for-tests' };
    const { stdout } = await promisify(execFile)(process.execPath, ['agent.mjs'], { cwd: at, env });
    expect(stdout).toMatch(/has \{ usdc: 50, sol: 0 \}\nrefused: .*insufficient_balance/);
  });
});
