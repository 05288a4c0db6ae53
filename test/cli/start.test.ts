import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { listening } from '../support/listening.js';
import { postJson } from '../support/post-json.js';
import { ENGINES } from '../support/world.js';
import { failing, here } from './here.js';
import { Command, serving } from './process.js';
import { temporaryFile } from '../support/temporary-folder.js';

/** Calls the API as an agent without this package does: with fetch, tweetnacl and bs58. */
async function plainAgent(baseUrl: string, secretKey: string) {
  const keys = nacl.sign.keyPair.fromSecretKey(bs58.decode(secretKey));
  const wallet = bs58.encode(keys.publicKey);
  const headers: Record<string, string> = {};
  const told = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, string>>;
  const get = (path: string) => told(fetch(baseUrl + path, { headers }));
  const post = (path: string, body: object) => told(postJson(baseUrl + path, body, headers));
  const { challenge: message = '' } = await post('/agent/auth/challenge', { wallet });
  const signature = bs58.encode(nacl.sign.detached(Buffer.from(message), keys.secretKey));
  const { token } = await post('/agent/auth/verify', { wallet, signature, message });
  headers['authorization'] = `Bearer ${token}`;
  return { get, post };
}

describe('sim start', () => {
  it.each(ENGINES)(
    'serves an agent in another process on %s, logs one line per request and exits with 0',
    async (engine) => {
      const { command, ready, stop } = await serving('--engine', engine, '--time', 'frozen');
      expect(command.stdout.split('\n')).toHaveLength(2);
      expect(ready).toMatchObject({ ready: true, engine, network: 'mainnet', seed: '1' });
      expect(Object.keys(ready).join(' ')).toBe(
        'ready baseUrl inspectorUrl mcpUrl treasury protocol usdcMint network engine seed issuerPublicKey wallets pid rpcUrl webSocketUrl dataDir paywall',
      );
      expect(ready.wallets).toHaveLength(10);
      const agent = await plainAgent(ready.baseUrl, ready.wallets[0]?.secretKey ?? '');
      for (const path of ['/agent/profile', '/agent/eligibility', '/agent/account', '/agent/loans'])
        expect(await agent.get(path), path).not.toHaveProperty('code');
      const refused = await agent.post('/agent/account/withdraw', { amount: 1, token: 'USDC' });
      expect(refused).toMatchObject({ code: 'insufficient_balance' });
      await stop();
      const lines = command.stderr.trimEnd().split('\n');
      expect(lines).toHaveLength(7);
      expect(lines.at(-1)).toMatch(
        new RegExp(
          `^2026-01-01T00:00:00\\.000Z req_\\w+ POST /api/v1/agent/account/withdraw ${ready.wallets[0]?.address} 400 insufficient_balance \\d+\\.\\dms$`,
        ),
      );
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agent-bank-sim-${ready.pid}-`))).toEqual(
        [],
      );
    },
  );

  it('prints a summary with ten wallets and a sample request, and exits with 0 on SIGINT', async () => {
    const command = new Command(['start', '--port', '0', '--engine', 'litesvm']);
    const summary = await command.printed('Stop with Ctrl-C.');
    expect(summary).toMatch(/API +http:\/\/127\.0\.0\.1:\d+\/api\/v1/);
    expect(summary.match(/1,000 SOL, 100,000 USDC/g)).toHaveLength(10);
    expect(summary).toMatch(/MCP +http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
    const [, inspector = ''] = /Inspector +(http\S+)/.exec(summary) ?? [];
    expect(await (await fetch(inspector, { headers: { accept: 'text/html' } })).text()).toContain(
      '<title>Inspector',
    );
    const address = /curl (\S+\/savings\/yield)/.exec(summary)?.[1] as string;
    expect((await fetch(address)).status).toBe(200);
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it(
    'prints a screen of 24 rows and 80 columns with the URLs last, and secret keys only with --keys',
    { tags: ['slow'] },
    async () => {
      for (const keys of [[], ['--keys']]) {
        const command = new Command(['start', '--port', '0', '--engine', 'litesvm', ...keys]);
        const rows = (await command.printed('Stop with Ctrl-C.')).trimEnd().split('\n');
        expect(await command.endedBy('SIGTERM')).toBe(0);
        expect(rows.filter((row) => /^ +\w{80,90}$/.test(row))).toHaveLength(keys.length * 10);
        if (keys.length > 0) continue;
        // The row of the prompt is the last of the screen.
        expect(rows.length).toBeLessThanOrEqual(23);
        expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
        expect(rows.findIndex((row) => row.includes('API  '))).toBeGreaterThan(
          rows.findLastIndex((row) => row.includes(' SOL, ')),
        );
      }
    },
  );

  it(
    'names no inspector when it is turned off, by flag or config file, or closed for want of a token',
    { tags: ['slow'] },
    async () => {
      const off = temporaryFile('{"inspector": false}');
      const { ready: served } = await serving('--engine', 'litesvm');
      expect(served.inspectorUrl).toBe(`${new URL(served.baseUrl).origin}/`);
      for (const args of [['--no-inspector'], ['--config', off], ['--host', '0.0.0.0']]) {
        const { ready } = await serving('--engine', 'litesvm', ...args);
        expect(ready.inspectorUrl, args.join(' ')).toBeNull();
      }
      const open = ['--host', '0.0.0.0', '--control-token', 'secret'];
      const { ready } = await serving('--engine', 'litesvm', ...open);
      expect(ready.inspectorUrl).toMatch(/^http/);
    },
  );

  it('lets pages of every origin of --cors call the API and the RPC', async () => {
    const origins = ['http://localhost:5173', 'https://staging.example'];
    const { ready } = await serving('--engine', 'litesvm', ...origins.flatMap((each) => ['--cors', each]));
    for (const url of [`${ready.baseUrl}/agent/account`, ready.rpcUrl])
      for (const origin of origins) {
        const { headers } = await fetch(url, { method: 'OPTIONS', headers: { origin } });
        expect(headers.get('access-control-allow-origin'), url).toBe(origin);
      }
  });

  it('takes options from a file, overridden by the command line', async () => {
    const file = temporaryFile(
      '{"engine": "litesvm", "seed": "file", "variants": {"overview": "A", "network": "devnet"}}',
    );
    const { ready } = await serving('--config', file, '--seed', 'line', '--variant', 'network=mainnet');
    expect(ready).toMatchObject({ engine: 'litesvm', seed: 'line', network: 'mainnet' });
  });

  it('rejects wrong usage with one line and exit code 2', async () => {
    const port = await listening(createServer());
    const cases: [string, RegExp][] = [
      [`--engine litesvm --port ${port}`, /port \d+ on 127\.0\.0\.1 is in use/],
      ['--engine evm', /--engine cannot be evm\. Allowed: bankrun, litesvm, cluster/],
      ['--rpc-port 65535', /--rpc-port must be a whole number from 0 to 65534/],
      [`--port 0 --rpc-port ${port}`, /in use; choose another with --rpc-port/],
      ['--confirmation-slots many', /--confirmation-slots many: expected one number/],
      ['--confirmation-slots 5,2', /--confirmation-slots: must not be finalized before/],
      ['--time sideways', /--time: must be real, frozen or a factor/],
      ['--variant overview=C', /--variant overview: cannot be C\. Allowed: merged, A, B/],
      ['--variant review=perhaps', /--variant review: /],
      ['--limit forks', /--limit forks: expected name=number/],
      ['--allow-host http://bank', /--allow-host http:\/\/bank: expected a host name/],
      ['--cors localhost:5173', /--cors localhost:5173: expected the origin of a page/],
      ['--compact-at 3', /--compact-at: only for a world in a data folder/],
      ['--usdc-mint mine', /--usdc-mint: must be a Solana address/],
      ['--port http', /--port must be a number/],
      ['--engine litesvm --data-dir /dev/null/x', /--data-dir: .* cannot be used/],
      ['--seed', /--seed needs a value/],
      ['now', /too many arguments: now/],
      ['--config /nowhere.json', /cannot be read \(ENOENT\)/],
      [`--config ${temporaryFile('{"engine"')}`, /not valid JSON/],
      [`--config ${temporaryFile('[]')}`, /JSON object/],
    ];
    for (const [args, expected] of cases)
      expect(await failing(2, 'start', ...args.split(' ')), args).toMatch(expected);
  }, 90_000);

  it('suggests a similar name for an unknown one and lists the allowed names in 80 columns', async () => {
    const cases: [string[], string, string][] = [
      [['strat'], 'unknown command strat; did you mean start?', 'Commands: start, '],
      [[], 'Specify a command.', 'Commands: start, '],
      [['oracle', 'prise', 'SOL', '1'], 'unknown command prise; did you mean price?', 'Commands: show, '],
      [['start', '--prot', '1'], 'unknown option --prot; did you mean --port?', 'Options: --help, '],
      [['start', '--no-rcp'], 'unknown option --rcp; did you mean --rpc?', 'Options: --help, '],
      [
        ['start', '--variant', 'overveiw=A'],
        '--variant overveiw: unknown option; did you mean overview?',
        'Allowed: overview, score, ',
      ],
      [
        ['start', '--variant', 'errorStatus.not_fund=400'],
        '--variant errorStatus.not_fund: unknown option; did you mean not_found?',
        'Allowed: invalid_json, ',
      ],
      [
        ['start', '--config', temporaryFile('{"motor": 1}')],
        'motor: unknown option.',
        'Allowed: seed, engine, ',
      ],
      [
        ['start', '--config', temporaryFile(JSON.stringify({ oracle: { ['x'.repeat(9_000)]: 1 } }))],
        `oracle.${'x'.repeat(255)}…: unknown option.`,
        'Allowed: usdcApy, ',
      ],
      [
        ['start', '--variant', 'errorStatus.not_found=418'],
        '--variant errorStatus.not_found: cannot be 418.',
        'Allowed: 400, 401, ',
      ],
      [
        ['fault', 'add', 'x402Pay', 'lose-respose'],
        'effect cannot be lose-respose; did you mean lose-response?',
        'Allowed: replace-response, delay, ',
      ],
    ];
    for (const [args, sentence, list] of cases) {
      const { code, stdout, stderr } = await here(...args);
      expect([code, stdout], stderr).toEqual([2, '']);
      const [first, second, ...others] = stderr.trimEnd().split('\n');
      expect(first).toBe(`sim: ${sentence}`);
      expect(second).toContain(list);
      for (const line of [second, ...others]) expect(line?.length).toBeLessThanOrEqual(80);
    }
    const commands = (await here('strat')).stderr;
    expect(commands).not.toContain('job-worker');
  });

  it('prints the version of this package', async () => {
    const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await here('--version')).toEqual({ code: 0, stdout: `${own.version}\n`, stderr: '' });
  });
});
