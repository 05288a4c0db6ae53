import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bs58 from 'bs58';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { listening } from '../support/listening.js';
import { servingSuite } from './process.js';
import { failing, here, succeeding } from './here.js';
import { temporaryFile } from '../support/temporary-folder.js';

const server = servingSuite('--engine', 'litesvm', '--time', 'frozen', '--control-token', 'sesame');
let origin = '';
let wallet = '';

beforeAll(() => {
  ({ origin } = server());
  wallet = server().ready.wallets[0]?.address ?? '';
});

const remote = () => ['--url', origin, '--control-token', 'sesame'];

/** The output of a command, which must succeed. */
const printed = (...args: string[]) => succeeding(...args, ...remote());

async function printedJson(...args: string[]): Promise<Record<string, unknown>> {
  const text = await printed(...args, '--json');
  expect(text).not.toContain('\n');
  return JSON.parse(text) as Record<string, unknown>;
}

describe('commands for a running simulator', () => {
  it('control the clock', { tags: ['slow'], timeout: 60_000 }, async () => {
    expect(await printed('time')).toBe('2026-01-01T00:00:00.000Z frozen');
    expect(await printed('time', 'advance', '30d')).toBe('no events\n2026-01-31T00:00:00.000Z frozen');
    const missed = await here('time', 'advance', '--until', 'loan.due', '--within', '0s', ...remote());
    expect([missed.code, missed.stdout]).toEqual([1, expect.stringContaining('--until did not occur')]);
    const jumped = await printedJson('time', 'advance', '--to', '2026-03-01T00:00:00Z');
    expect(jumped).toMatchObject({ now: '2026-03-01T00:00:00.000Z', fired: [] });
    const late = ['time', 'advance', '--until', 'loan.due', '--within', '1d', '--json'];
    expect(JSON.parse((await here(...late, ...remote())).stdout)).toMatchObject({ reached: false });
    expect(await printed('control', 'advance', '--by', '1s')).toMatch(/\nfired +none$/);
    expect(await printed('time', 'scale', '60')).toMatch(/^2026-03-02T00:00:01\.\d+Z 60x$/);
    expect(await printedJson('time', 'freeze')).toMatchObject({ mode: 'frozen' });
  });

  it('give out tokens and set rates', async () => {
    expect(await printed('faucet', wallet, '5', 'USDC')).toMatch(/^1000 SOL, 100005 USDC now; \w{64,88}$/);
    expect(await printed('oracle')).toBe(
      'USDC earns 0.017, is worth 1 USD; SOL earns 0.052, is worth 150 USD',
    );
    expect(await printedJson('oracle', 'apy', 'USDC', '0.05')).toMatchObject({ apy: { USDC: 0.05 } });
    expect(await printedJson('oracle', 'apy', 'USDC', '1.7%')).toMatchObject({ apy: { USDC: 0.017 } });
    expect(await printedJson('oracle', 'price', 'SOL', '99.5')).toMatchObject({ usd: { SOL: 99.5 } });
    expect(await printed('oracle', 'outage', 'on')).toContain('oracle outage');
    expect(await printedJson('oracle', 'outage', 'off')).toMatchObject({ outage: false });
  }, 60_000);

  it('deposit for known wallets, and for others by secret key', async () => {
    const ready = await printed('deposit', wallet, '100', 'USDC');
    expect(ready).toMatch(/^100 USDC in checking, 0 before; \w{64,88}$/);
    expect(await printedJson('deposit', wallet, '0.5', 'SOL')).toMatchObject({
      deposit: { amount: 0.5, token: 'SOL' },
      balance: { token: 'SOL', previous: 0, current: 0.5 },
    });
    const own = AgentWallet.generate();
    const unknown = await here('deposit', own.address, '1', 'USDC', ...remote());
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toMatch(/does not know the secret key of .*--secret-key/);
    const byKey = (key: string) =>
      here('deposit', own.address, '7', 'USDC', '--secret-key', key, ...remote());
    expect((await byKey(own.secretKey())).stdout).toMatch(/^7 USDC in checking, 0 before; /);
    const file = temporaryFile(JSON.stringify([...bs58.decode(own.secretKey())]));
    expect((await byKey(file)).stdout).toMatch(/^14 USDC in checking, 7 before; /);
    const others = await byKey(AgentWallet.generate().secretKey());
    const foreign = `sim: --secret-key: does not belong to wallet ${own.address}\n`;
    expect([others.code, others.stderr]).toEqual([2, foreign]);
    expect((await byKey(own.secretKey().slice(1))).stderr).not.toContain(own.secretKey().slice(5, 20));
  }, 60_000);

  it('schedule rates, make the oracle stale, and load a series from a file', async () => {
    expect(await printed('oracle', 'apy', 'SOL', '0.07', '--from', '2030-01-01')).toContain(
      'scheduled for 2030-01-01T00:00:00.000Z: new rate of SOL',
    );
    const now = new Date((await printed('time')).split(' ')[0] ?? '').getTime();
    const inMonth = new Date(now + 30 * 86_400_000).toISOString();
    expect(await printed('oracle', 'price', 'USDC', '0.9', '--in', '30d')).toContain(
      `scheduled for ${inMonth}: new price of USDC`,
    );
    const walk = '{"walk":{"start":120,"every":"1h","step":0.02}}';
    expect(await printedJson('oracle', 'price', 'SOL', '--source', walk)).toMatchObject({
      usd: { SOL: 120 },
    });
    expect(await printed('oracle', 'stale', 'on')).toContain('; stale, of 2026-');
    expect(await printedJson('oracle', 'stale', 'off')).toMatchObject({ stale: false });
    await printed('time', 'advance', '100d');
    expect(await printedJson('oracle')).toMatchObject({ usd: { USDC: 0.9 } });
    const file = temporaryFile('time,sol_usd\n2026-01-01,130\n');
    expect(await printedJson('oracle', 'load', file)).toMatchObject({ usd: { USDC: 0.9, SOL: 130 } });
    writeFileSync(file, JSON.stringify({ usdc_usd: [{ at: '2026-01-01', value: 0.99 }] }));
    expect(await printedJson('oracle', 'load', file)).toMatchObject({ usd: { USDC: 0.99 } });
  }, 120_000);

  it('take and revert to a snapshot, and list pending reviews', async () => {
    const id = await printed('snapshot');
    expect(id).toBe('snapshot-1');
    const before = await printed('time');
    await printed('time', 'advance', '1y');
    expect(await printed('revert', id)).toBe(before);
    expect(await printed('review', 'list')).toBe('no pending applications');
  }, 60_000);

  it('set the review policy and control loans', async () => {
    const { stdout } = await here('review', 'policy', ...remote());
    expect(stdout).toBe('manual\n');
    expect(await printed('review', 'policy', 'delay:2h')).toBe('delay:2h');
    expect(await printedJson('review', 'policy', 'auto')).toEqual({ policy: 'auto' });
    const { application } = await server()
      .agent(1)
      .applyForLoan({ amount: 200, purpose: 'task', duration: 30 });
    const { id } = application;
    expect(await printed('review', 'loans', '--status', 'active')).toMatch(
      new RegExp(`^${id} active, 200 USDC owed, due [^\n]*\n1 of 1$`),
    );
    expect(await printed('review', 'overdue', id, '--reason', 'drill')).toContain(' overdue, 200 USDC owed');
    expect(await printedJson('review', 'default', id)).toMatchObject({ status: 'defaulted' });
    expect(await printedJson('review', 'cure', id, '--in', '30d', '--forgive')).toMatchObject({
      status: 'active',
      record: 'clean',
    });
    expect(await printed('review', 'pay', id, '50')).toMatch(
      / active, 150 USDC owed, .*; 50 USDC paid by \w+$/,
    );
  }, 120_000);

  it('print one line for an error: exit code 2 for wrong usage, 1 for a refusal', async () => {
    const cases: [number, RegExp, string][] = [
      [1, /not a duration: soon/, 'time advance soon'],
      [2, /give exactly one of: a duration, --to, --until, --blocks/, 'time advance'],
      [2, /give exactly one of: a duration, --to, --until, --blocks/, 'time advance 1d --until loan.due'],
      [2, /^sim: -1d is not a value here: it begins with a minus$/m, 'time advance -1d'],
      [2, /^sim: too few arguments: amount, token must be given$/m, 'faucet me'],
      [2, /^sim: --nth is given twice$/m, 'fault add account lose-response --nth 1 --nth 2'],
      [1, /not a Solana address: me/, 'faucet me 5 USDC'],
      [2, /token/, `faucet ${wallet} 5 EUR`],
      [1, /unknown snapshot none/, 'revert none'],
      [1, /review is "perhaps"; use manual, auto/, 'review policy perhaps'],
      [1, /no such loan; sim review loans lists all.*loan_not_found/, 'review default loan_none'],
      [2, /give a source: a number/, 'oracle apy USDC'],
      [2, /source is not valid JSON/, 'oracle apy USDC --source {'],
      [1, /has passed/, 'oracle apy USDC 0.1 --from 2020-01-01'],
      [1, /pass from or in, not both/, 'oracle price SOL 9 --in 1d --from 2099-01-01'],
      [1, /source: must be a percentage such as 1.7%, a number such as 0.017/, 'oracle apy USDC much'],
      [1, /source: must be a number of USD such as 120/, 'oracle price SOL 5%'],
      [2, /cannot be read \(ENOENT\)/, 'oracle load /nowhere.csv'],
      [1, /amount: Too small.*\(invalid_request\)/, `faucet ${wallet} -5 USDC`],
      [
        1,
        /No withdrawal\.failed occurs within 10y.*\(event_not_due\)/,
        'time advance --until withdrawal.failed',
      ],
      [1, /cannot run backwards/, 'time advance --to 2020-01-01'],
      [2, /unknown command sideways/, 'time sideways'],
      [1, /no recording is in progress/, `record stop ${join(tmpdir(), 'sim-test-unrecorded.ndjson')}`],
      [1, /not an agent-bank-sim state file/, `state import ${fileURLToPath(import.meta.url)}`],
      [2, /cannot be read \(ENOENT\)/, 'state import /nowhere'],
    ];
    for (const [code, line, words] of cases)
      expect(await failing(code, ...words.split(' '), ...remote()), words).toMatch(line);
    const timeAt = (code: number, url: string) => failing(code, 'time', '--url', url);
    expect(await timeAt(1, origin)).toContain('control_token_required');
    expect(await timeAt(1, 'http://127.0.0.1:1')).toContain('cannot reach http://127.0.0.1:1');
    await timeAt(2, 'nonsense');
    const other = createServer((_request, response) => void response.end('<html>'));
    expect(await timeAt(1, `http://127.0.0.1:${await listening(other)}`)).toContain('is not a simulator');
  }, 120_000);

  it('add faults, fork the world and explain a request', async () => {
    expect(await printed('fault', 'list')).toBe('no faults');
    const limit = ['replace-response', '--status', '429', '--times', '1'];
    expect(await printed('fault', 'add', 'account', ...limit)).toBe(
      'fault-1 account before replace-response 429 too_many_requests, {"times":1}: fired on 0 of 0 matching calls',
    );
    const limited = await fetch(`${origin}/api/v1/agent/account`);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await printedJson('fault', 'list')).toMatchObject({
      faults: [{ id: 'fault-1', matched: 1, fired: 1 }],
    });
    const id = limited.headers.get('x-request-id') as string;
    expect(await printed('explain', id)).toContain('fault-1 fired (before): replace-response.');
    expect(await printedJson('explain', id)).toMatchObject({ requestId: id, rule: null });
    const file = temporaryFile(JSON.stringify({ rpc: 'sendTransaction', effect: 'drop-transactions' }));
    expect(await failing(1, 'fault', 'add', '--file', file, ...remote())).toMatch(
      /effect: cannot be drop-transactions; did you mean drop-transaction\? Allowed: replace-response, /,
    );
    writeFileSync(file, JSON.stringify({ rpc: 'sendTransaction', effect: 'drop-transaction' }));
    expect(await printedJson('fault', 'add', '--file', file)).toMatchObject({
      id: 'fault-2',
      phase: 'chain-submit',
    });
    expect(await printed('fault', 'clear', 'fault-2')).toBe('fault-2 cleared');
    expect(await printed('fault', 'clear')).toBe('all cleared');
    const fork = await printedJson('fork');
    expect(fork).toMatchObject({ id: 'fork-1', baseUrl: `${origin}/w/fork-1/api/v1` });
    const forked = ['--url', `${origin}/w/fork-1`, '--control-token', 'sesame'];
    const there = await here('time', 'advance', '1d', ...forked);
    expect(there.code).toBe(0);
    expect(there.stdout).not.toContain(await printed('time'));
    expect(await printed('fork', 'list')).toContain('fork-1 http://');
    expect(await printed('fork', 'drop', 'fork-1')).toBe('fork-1 dropped');
    for (const [code, line, words] of [
      [1, /no operation is called nothing; there are challenge/, 'fault add nothing lose-response'],
      [
        1,
        /no operation is called x402Pai; did you mean x402Pay\? there are challenge/,
        'fault add x402Pai lose-response',
      ],
      [2, /give a target and an effect, such as/, 'fault add'],
      [1, /there is no fault fault-9/, 'fault clear fault-9'],
      [1, /there is no fork fork-9/, 'fork drop fork-9'],
      [1, /Request req_9 is not in memory/, 'explain req_9'],
    ] as const)
      expect(await failing(code, ...words.split(' '), ...remote()), words).toMatch(line);
  }, 120_000);

  it('read journal, customers, chain and figures, and go back to before a request', async () => {
    const before = await printed('journal', 'balance');
    expect(before).toMatch(/^entry +\d+\nat +2026-.*\n[^]*\naccounts\n +account +token +debit +credit\n/);
    await printed('deposit', wallet, '10', 'USDC');
    expect(await printed('journal', '--kind', 'deposit', '--limit', '1')).toMatch(
      /^\d+ 2026-\S+ deposit \w{8}…\n {4}debit {2}unclaimed +10 USDC\n {4}credit checking +10 USDC\nmore: --cursor \d+$/,
    );
    expect(await printed('customers', '--search', wallet)).toContain(`${wallet}  `);
    expect(await printed('customer', wallet)).toMatch(/x402\n +limit +1000\n +used +0\n +left +1000\n/);
    const [signature = ''] = /\w{64,}/.exec(await printed('chain', '--limit', '1')) ?? [];
    expect(await printed('chain', 'transaction', signature)).toMatch(/spl-token +transferChecked\n/);
    expect(await printed('chain', 'account', wallet)).toMatch(/^address +\w+\nSOL +[\d.]+\nowner +1111/);
    expect(await printed('series', 'rates', '--points', '2')).toMatch(/^at +USDC apy [^\n]*(\n[^\n]+){2}$/);
    const broken = await here('verify', '{"payment_id":1}', ...remote());
    expect(broken.stdout).toMatch(/^kind +receipt\nvalid +false\n/);
    expect(broken.code).toBe(1);
    const { requests } = (await printedJson('history', '--limit', '1')) as {
      requests: { requestId: string }[];
    };
    const id = requests[0]?.requestId ?? '';
    expect(await printed('fork', '--before', id)).toMatch(/^fork-\d+ http/);
    expect(await printed('revert', '--before', id)).toMatch(/^2026-/);
    expect(await printed('journal', 'balance')).toBe(before);
    expect(await printed('compare', 'now')).toMatch(/^time +from (\S+), to \1\n.+\ncommonEntries +\d+$/);
    expect(await failing(2, 'revert', 'snapshot-1', '--before', id, ...remote())).toBe(
      'sim: give the id of a snapshot, or --before with a request\n',
    );
  }, 60_000);
});
