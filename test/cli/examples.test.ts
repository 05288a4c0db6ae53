// @module-tag slow
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/index.js';
import { commandNames, here } from './here.js';
import { Command } from './process.js';

const REPOSITORY = process.cwd();
const PING = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
const COUNTEREXAMPLE = 'loanapply-application-apr-ab5a45.json';

/** The first column of a section of a command's help; rows of one text go on in the next row. */
function firstColumn(help: string, title: string): string[] {
  const rows = (new RegExp(`^${title}:\n((?: {2}.*\n?)+)`, 'm').exec(help)?.[1] ?? '').split('\n');
  const width = Math.min(...rows.map((row) => /^ {2}\S.*?( {2,})\S/d.exec(row)?.indices?.[1]?.[1] ?? 80));
  const found: string[] = [];
  for (const row of rows) {
    const text = row.slice(0, width).trim();
    if (row.startsWith('  sim ')) found.push(text);
    else if (text !== '') found.push(`${found.pop()} ${text}`);
  }
  return found;
}

async function examplesOf(...command: string[]): Promise<string[]> {
  const { stdout } = await here(...command, '--help');
  const found = firstColumn(stdout, 'Examples');
  if (command.length > 1) return found;
  for (const row of firstColumn(stdout, 'Commands')) {
    const [, , name = ''] = row.split(' ');
    if (/^[a-z-]+$/.test(name)) found.push(...(await examplesOf(...command, name)));
  }
  return found;
}

async function allExamples(): Promise<string[]> {
  const found: string[] = [];
  for (const name of await commandNames()) found.push(...(await examplesOf(name)));
  return [...new Set(found)];
}

/** Examples that run until they are stopped, and what they print when they have begun. */
const LONG: Readonly<Record<string, { readonly begun: string; readonly input?: string }>> = {
  'sim start --time frozen --variant withdrawals=queued': { begun: 'Stop with Ctrl-C' },
  'sim mcp --world --max-spend 20USDC': { begun: '"result"', input: PING },
  'sim mcp --url http://127.0.0.1:4020 --wallet 3': { begun: '"result"', input: PING },
  'sim inspect world.sim': { begun: 'http://' },
  'sim study daily-cap.yaml --inspect 12 --tick 30': { begun: 'http://' },
  'sim log http://127.0.0.1:4020 --follow --endpoint withdraw': { begun: 'withdraw' },
};

/** That one needs a Redis: `npm run test:queue` runs workers. */
const ELSEWHERE = 'sim worker --queue redis://queue:6379 --concurrency 8';

/** They need what other examples write, in this order. */
const LAST = ['record stop', 'record to-scenario', 'replay session.ndjson', 'account set', 'study --resume'];
const placeOf = (example: string) => LAST.findIndex((begin) => example.startsWith(`sim ${begin}`));

/** The exit codes of those that say what is wrong: a receipt is not valid, a study has ended. */
const CODES: Readonly<Record<string, number>> = {
  'sim verify - < receipt.json': 1,
  'sim study --resume daily-cap-results': 2,
};

const EXAMPLES = (await allExamples())
  .filter((example) => example !== ELSEWHERE)
  .toSorted((a, b) => placeOf(a) - placeOf(b));

const at = mkdtempSync(join(tmpdir(), 'sim-test-'));
let sim: Simulator;
let origin = '';
let loans = 0;
let requestId = '';
let signature = '';

beforeAll(async () => {
  process.chdir(at);
  const copy = (from: string, to: string) =>
    cpSync(join(REPOSITORY, 'fixtures', from), to, { recursive: true });
  copy('worlds/small-town.sim', 'world.sim');
  copy(`failures/${COUNTEREXAMPLE}`, 'failures/NAME.json');
  copy('rates-2026.csv', 'fixtures/rates-2026.csv');
  const study = readFileSync(join(REPOSITORY, 'fixtures/starter/study.yaml'), 'utf8');
  writeFileSync(
    'daily-cap.yaml',
    study.replace('count: 40', 'count: 3').replace('repetitions: 2', 'repetitions: 4'),
  );
  mkdirSync('scenarios');
  writeFileSync('scenarios/looks.yaml', 'name: withdraw\nagents: { alice: {} }\nsteps: [alice.account]\n');
  writeFileSync('receipt.json', '{"payment_id":1}');
  sim = await createSimulator({
    engine: 'litesvm',
    time: 'frozen',
    startTime: '2026-02-01T00:00:00Z',
    history: 200,
  });
  sim.logTo('events.ndjson');
  origin = (await sim.listen()).origin;
  const [alice, bob] = [sim.agent(0), sim.agent(1)];
  await alice.fund(100, 'USDC');
  await alice.withdraw({ amount: 1_000, token: 'USDC' }).catch(() => undefined);
  ({ signature } = await sim.faucet(alice.wallet.address, 1, 'SOL'));
  await bob.account();
  await loanFor('due');
  requestId = sim.history({ limit: 1 }).requests[0]?.requestId ?? '';
  await sim.openFork();
  await sim.snapshot();
}, 60_000);

afterAll(async () => {
  process.chdir(REPOSITORY);
  await sim?.close();
  rmSync(at, { recursive: true, force: true });
});

/** A loan of another dev wallet each time, in the state that a command about loans needs. */
async function loanFor(example: string): Promise<string> {
  loans += 1;
  sim.reviews.setPolicy('manual');
  const { application } = await sim
    .agent(loans)
    .applyForLoan({ amount: 100, purpose: 'trading', duration: 60 });
  if (!/approve|deny/.test(example)) await sim.reviews.approve(application.id);
  if (example.includes('cure')) await sim.reviews.setOverdue(application.id);
  return application.id;
}

/** The words of an example, as a shell gives them, with what exists here in place of what it names. */
async function wordsOf(example: string): Promise<string[]> {
  // What the recording shows.
  if (example.startsWith('sim record stop')) await sim.agent(0).depositSavings({ amount: 1, token: 'USDC' });
  const concrete = example
    .replace(/^sim /, '')
    .replace('http://127.0.0.1:4020', origin)
    .replace('9xQe…', sim.wallets[0]?.address ?? '')
    .replace('5VERv8…', signature)
    .replace('req_00000007', requestId)
    // Shorter, and without the shell's own part.
    .replace('--time-budget 60s', '--time-budget 1s')
    .replace('--property limits', '--property limits --runs 10')
    .replace(/ [<>] .*/, '')
    .replace('loan_1a2b', example.includes('loan_1a2b') ? await loanFor(example) : '');
  const given = execFileSync('sh', ['-c', `printf '%s\\0' ${concrete}`], { encoding: 'utf8', cwd: at });
  const words = given.split('\0').slice(0, -1);
  const { stdout } = await here(...words.slice(0, 2).filter((word) => /^[a-z-]+$/.test(word)), '--help');
  // Another simulator may have the default port.
  if (words[0] === 'start' && !words.includes('--port')) return [...words, '--port', '0'];
  const needsUrl = / --url /.test(stdout) && !words.includes('--url') && !words.includes(origin);
  return needsUrl ? [...words, '--url', origin] : words;
}

/** Runs a command to its end: in this process, or where it reads its input or starts workers of its own, in another. */
async function ended(words: readonly string[]) {
  if (words[0] !== 'study' && !words.includes('-')) return here(...words);
  const command = new Command(words, {}, { cwd: at, input: readFileSync('receipt.json', 'utf8') });
  command.closeInput();
  return { code: await command.ended(), stdout: command.stdout, stderr: command.stderr };
}

it.each(EXAMPLES)('%s, an example in the help, runs', async (example) => {
  const words = await wordsOf(example);
  const { [example]: long } = LONG;
  if (long === undefined) {
    const { code, stderr, stdout } = await ended(words);
    expect(code, `${stdout}\n${stderr}`).toBe(CODES[example] ?? 0);
    return;
  }
  const command = new Command(words, {}, { cwd: at, input: long.input ?? null });
  await command.printed(long.begun);
  command.kill('SIGTERM');
  expect([0, 143]).toContain(await command.ended());
});
