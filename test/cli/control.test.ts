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

type Said = readonly (readonly [words: string, printed: RegExp])[];

/** Runs commands in turn; each must succeed and print what is said. */
async function expectPrinted(said: Said): Promise<void> {
  for (const [words, text] of said) expect(await printed(...words.split(' ')), words).toMatch(text);
}

describe('commands for a running simulator', () => {
  it('control the clock', { tags: ['slow'], timeout: 60_000 }, async () => {
    await expectPrinted([
      ['time', /^2026-01-01T00:00:00.000Z frozen$/],
      ['time advance 30d', /^no events\n2026-01-31T00:00:00.000Z frozen$/],
      ['time advance --to 2026-03-01T00:00:00Z --json', /"now":"2026-03-01T00:00:00.000Z".*"fired":\[\]/],
      ['control advance --by 1s', /\nfired +none$/],
      ['time scale 60', /^2026-03-01T00:00:01\.\d+Z 60x$/],
      ['time run', /Z real$/],
      ['time freeze --json', /^\{.*"mode":"frozen".*\}$/],
    ]);
    const missed = await here('time', 'advance', '--until', 'loan.due', '--within', '1d', ...remote());
    expect([missed.code, missed.stdout]).toEqual([1, expect.stringContaining('--until did not occur')]);
  });

  it('give out tokens and set rates', async () => {
    await expectPrinted([
      [`faucet ${wallet} 5 USDC`, /^1000 SOL, 100005 USDC now; \w{64,88}$/],
      ['oracle', /^USDC earns 0.017, is worth 1 USD; SOL earns 0.052, is worth 150 USD$/],
      ['oracle apy USDC 0.05', /^USDC earns 0.05,/],
      ['oracle apy USDC 1.7%', /^USDC earns 0.017,/],
      ['oracle price SOL 99.5', /is worth 99.5 USD$/],
      ['oracle outage on', /; oracle outage$/],
      ['oracle outage off --json', /"outage":false/],
    ]);
  }, 60_000);

  it('deposit for known wallets, and for others by secret key', async () => {
    await expectPrinted([
      [`deposit ${wallet} 100 USDC`, /^100 USDC in checking, 0 before; \w{64,88}$/],
      [`deposit ${wallet} 0.5 SOL --json`, /"balance":\{"token":"SOL","previous":0,"current":0.5\}/],
    ]);
    const own = AgentWallet.generate();
    expect(await failing(1, 'deposit', own.address, '1', 'USDC', ...remote())).toMatch(
      /does not know the secret key of .*--secret-key/,
    );
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
    const now = new Date((await printed('time')).split(' ')[0] ?? '').getTime();
    const inMonth = new Date(now + 30 * 86_400_000).toISOString();
    const csv = temporaryFile('time,sol_usd\n2026-01-01,130\n');
    const json = temporaryFile(JSON.stringify({ usdc_usd: [{ at: '2026-01-01', value: 0.99 }] }));
    await expectPrinted([
      ['oracle apy SOL 0.07 --from 2030-01-01', /\nscheduled for 2030-01-01T00:00:00.000Z: new rate of SOL/],
      ['oracle price USDC 0.9 --in 30d', new RegExp(`scheduled for ${inMonth}: new price of USDC`)],
      ['oracle price SOL --source {"walk":{"start":120,"every":"1h","step":0.02}}', /is worth 120 USD/],
      ['oracle stale on', /; stale, of 2026-/],
      ['oracle stale off --json', /"stale":false/],
      ['time advance 100d', /Z frozen$/],
      [`oracle load ${csv}`, /is worth 0.9 USD.*is worth 130 USD/],
      [`oracle load ${json}`, /is worth 0.99 USD.*is worth 130 USD/],
    ]);
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
    await expectPrinted([
      ['review policy', /^manual$/],
      ['review policy delay:2h', /^delay:2h$/],
      ['review policy auto --json', /^\{"policy":"auto"\}$/],
    ]);
    const { application } = await server()
      .agent(1)
      .applyForLoan({ amount: 200, purpose: 'task', duration: 30 });
    const { id } = application;
    await expectPrinted([
      ['review loans --status active', new RegExp(`^${id} active, 200 USDC owed, due [^\n]*\n1 of 1$`)],
      [`review overdue ${id} --reason drill`, / overdue, 200 USDC owed/],
      [`review default ${id}`, / defaulted, /],
      [`review cure ${id} --in 30d --forgive --json`, /"status":"active".*"record":"clean"/],
      [`review pay ${id} 50`, / active, 150 USDC owed, .*; 50 USDC paid by \w+$/],
    ]);
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
    const fault =
      /^fault-1 account before replace-response 429 too_many_requests, \{"times":1\}: fired on 0 of 0/;
    await expectPrinted([
      ['fault list', /^no faults$/],
      ['fault add account replace-response --status 429 --times 1', fault],
    ]);
    const limited = await fetch(`${origin}/api/v1/agent/account`);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    const id = limited.headers.get('x-request-id') as string;
    await expectPrinted([
      ['fault list', /fired on 1 of 1 matching calls$/],
      [`explain ${id}`, /fault-1 fired \(before\): replace-response\./],
      [`explain ${id} --json`, /^\{.*"rule":null/],
    ]);
    const file = temporaryFile(JSON.stringify({ rpc: 'sendTransaction', effect: 'drop-transactions' }));
    expect(await failing(1, 'fault', 'add', '--file', file, ...remote())).toMatch(
      /effect: cannot be drop-transactions; did you mean drop-transaction\? Allowed: replace-response, /,
    );
    writeFileSync(file, JSON.stringify({ rpc: 'sendTransaction', effect: 'drop-transaction' }));
    await expectPrinted([
      [`fault add --file ${file}`, /^fault-2 rpc sendTransaction chain-submit drop-transaction, every call/],
      ['fault clear fault-2', /^fault-2 cleared$/],
      ['fault clear', /^all cleared$/],
      ['fork', new RegExp(`^fork-1 ${origin}/w/fork-1`)],
    ]);
    const forked = ['--url', `${origin}/w/fork-1`, '--control-token', 'sesame'];
    const there = await here('time', 'advance', '1d', ...forked);
    expect(there.code).toBe(0);
    expect(there.stdout).not.toContain(await printed('time'));
    await expectPrinted([
      ['fork list', /fork-1 http:\/\//],
      ['fork drop fork-1', /^fork-1 dropped$/],
    ]);
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
    const [signature = ''] = /\w{64,}/.exec(await printed('chain', '--limit', '1')) ?? [];
    await expectPrinted([
      [`customers --search ${wallet}`, new RegExp(`${wallet}  `)],
      [`customer ${wallet}`, /x402\n +limit +1000\n +used +0\n +left +1000\n/],
      [`chain transaction ${signature}`, /spl-token +transferChecked\n/],
      [`chain account ${wallet}`, /^address +\w+\nSOL +[\d.]+\nowner +1111/],
      ['series rates --points 2', /^at +USDC apy [^\n]*(\n[^\n]+){2}$/],
    ]);
    const broken = await here('verify', '{"payment_id":1}', ...remote());
    expect(broken.stdout).toMatch(/^kind +receipt\nvalid +false\n/);
    expect(broken.code).toBe(1);
    const [id = ''] = /req_\d+|ctl_\d+/.exec(await printed('history', '--limit', '1')) ?? [];
    await expectPrinted([
      [`fork --before ${id}`, /^fork-\d+ http/],
      [`revert --before ${id}`, /^2026-/],
    ]);
    expect(await printed('journal', 'balance')).toBe(before);
    expect(await printed('compare', 'now')).toMatch(/^time +from (\S+), to \1\n.+\ncommonEntries +\d+$/);
    expect(await failing(2, 'revert', 'snapshot-1', '--before', id, ...remote())).toBe(
      'sim: give the id of a snapshot, or --before with a request\n',
    );
  }, 60_000);
});
