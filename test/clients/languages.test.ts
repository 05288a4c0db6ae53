// @module-tag slow
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { ControlClient } from '../../src/api/control/client.js';
import { servingSuite } from '../cli/process.js';
import { exampleOf } from '../support/markdown.js';

const AGENTS = [
  { file: 'fixtures/agents/agent.py', by: 'python3', needs: ['python3'] },
  { file: 'fixtures/agents/agent.sh', by: 'bash', needs: ['bash', 'curl', 'openssl'] },
] as const;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function ran(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const missing = (programs: readonly string[]) =>
  programs.filter((program) => spawnSync(program, ['--version']).error !== undefined);

describe.each(AGENTS)('$file', ({ file, by, needs }) => {
  const server = servingSuite('--engine', 'litesvm', '--paywall');
  let sim = '';
  let shop = '';
  beforeAll(() => {
    sim = server().origin;
    shop = server().ready.paywall?.url ?? '';
  });

  const lack = missing(needs);
  const played = it.skipIf(lack.length > 0);
  const why = lack.length > 0 ? ` (not here: ${lack.join(', ')})` : '';
  const bought =
    /^signed in as \w{32,44}\ndeposited 1 USDC by transaction \w{64,88}\nin checking: 1 USDC\nbought: .*clear.*\nin checking: 0\.99 USDC\n$/;

  played(`signs in, is funded, reads its account and buys with a new wallet${why}`, async () => {
    const { code, stdout, stderr } = await ran(by, [file, sim, shop]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(bought);
    expect(await new ControlClient({ origin: sim }).do('invariants')).toEqual({ violations: [] });
  });

  played(`takes its settings and a printed dev wallet key from the environment${why}`, async () => {
    const { address, secretKey = '' } = server().ready.wallets[2] ?? {};
    const env = { SIM_URL: sim, SHOP_URL: shop, SECRET_KEY: secretKey };
    const { code, stdout } = await ran(by, [file], env);
    expect([code, stdout.split('\n')[0]]).toEqual([0, `signed in as ${address}`]);
  });

  played(`exits with 1 when refused, without printing its key${why}`, async () => {
    const stranger = AgentWallet.generate();
    const refused = await ran(by, [file, sim, shop, stranger.secretKey()]);
    expect([refused.code, refused.stdout]).toEqual([1, `signed in as ${stranger.address}\n`]);
    expect(refused.stderr).toMatch(/refused: .*secret_key_unknown/);
    expect(refused.stderr).not.toContain(stranger.secretKey());
    const nobody = await ran(by, [file, 'http://127.0.0.1:1']);
    expect([nobody.code, nobody.stdout]).toEqual([1, '']);
  });

  it('is under 170 lines, and docs/recipes/python-and-shell.md shows how to run it', () => {
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(170);
    expect(exampleOf('docs/recipes/python-and-shell.md', file)).toContain(`${by} ${file}`);
  });
});
