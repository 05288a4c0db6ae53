import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/index.js';
import { commandNames, here } from '../cli/here.js';
import { MAIN } from '../cli/process.js';
import { suiteFolder } from '../support/temporary-folder.js';

const ROOT = process.cwd();
/** What users see; `npm run golden` writes it anew. */
const OUTPUTS = join(ROOT, 'test/golden/outputs');
const at = suiteFolder();
let sim: Simulator;
let origin = '';

const SCENARIOS = `name: pays in and out
agents: { alice: { checking: { usdc: 50 } } }
steps:
  - alice.withdraw: { amount: 10, token: USDC }
  - alice.account
---
name: finds a difference
agents: { alice: { checking: { usdc: 50 } } }
steps:
  - alice.withdraw: { amount: 10, token: USDC }
    expect: { balance: { available: 41 } }
`;

beforeAll(async () => {
  process.chdir(at);
  writeFileSync('scenarios.yaml', SCENARIOS);
  const study = readFileSync(join(ROOT, 'fixtures/starter/study.yaml'), 'utf8');
  writeFileSync(
    'study.yaml',
    study.replace('count: 40', 'count: 3').replace('repetitions: 2', 'repetitions: 1'),
  );
  sim = await createSimulator({
    engine: 'litesvm',
    time: 'frozen',
    seed: 'golden',
    startTime: '2026-02-01T00:00:00Z',
    history: 100,
  });
  origin = (await sim.listen()).origin;
  const alice = sim.agent(0);
  await alice.fund(100, 'USDC');
  await alice.depositSavings({ amount: 40, token: 'USDC' });
  await sim.advance('1d');
  await alice.withdraw({ amount: 1_000, token: 'USDC' }).catch(() => undefined);
});

afterAll(async () => {
  process.chdir(ROOT);
  await sim?.close();
});

/** A text without what differs from run to run: ports, durations, versions and folders. */
function stableText(text: string): string {
  return text
    .replaceAll(origin, 'http://127.0.0.1:4020')
    .replaceAll(at, '/work')
    .replace(/(?<=\bversion"?:? ?"?)\d+\.\d+\.\d+\b/g, 'X.Y.Z')
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, 'N $2')
    .replace(/((?:time|durationMs|ms|elapsedMs)"?[=:]"?)\d+(\.\d+)?/g, '$1N')
    .replace(/((?:timestamp=|startedAt":)"|Started )20[0-9TZ:.-]+/g, '$1N');
}

async function expectGolden(text: string, file: string): Promise<void> {
  await expect(stableText(text)).toMatchFileSnapshot(join(OUTPUTS, file));
}

/** What a command prints, with its exit code. */
async function printed(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await here(...words);
  return `${stdout}${stderr === '' ? '' : `--- stderr\n${stderr}`}--- exit code ${code}\n`;
}

/** The help of a command and of all commands below it. */
async function helpOf(...command: string[]): Promise<string> {
  const { stdout } = await here(...command, '--help');
  const rows = /^Commands:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1]?.split('\n') ?? [];
  const names = rows.flatMap(
    (row) => new RegExp(`^ {2}sim ${command.join(' ')} ([a-z-]+)`).exec(row)?.[1] ?? [],
  );
  const below: string[] = [];
  for (const name of names) below.push(await helpOf(...command, name));
  return [stdout, ...below].join('\n');
}

describe('what users see is as it was', () => {
  it('in the help of each command', async () => {
    const { stdout } = await here('--help');
    await expectGolden(stdout, 'help/sim.txt');
    const names = await commandNames();
    for (const name of names) await expectGolden(await helpOf(name), `help/${name}.txt`);
    // No file is left of a command that is gone.
    const files = readdirSync(join(OUTPUTS, 'help')).map((file) => file.replace('.txt', ''));
    expect(files.toSorted()).toEqual(['sim', ...names].toSorted());
  });

  it('in sim demo', async () => {
    await expectGolden(await printed('demo'), 'demo.txt');
  });

  it.each(['pretty', 'junit', 'json', 'github', 'html'])(
    'in the %s report of a scenario that passes and one that fails',
    async (reporter) => {
      await expectGolden(
        await printed('run', 'scenarios.yaml', '--reporter', reporter),
        `run-${reporter}.txt`,
      );
    },
  );

  it('in sim explain and sim log', async () => {
    const refused = sim.history({ limit: 100 }).requests.find(({ status }) => (status ?? 0) >= 400);
    await expectGolden(await printed('explain', refused?.requestId ?? '', '--url', origin), 'explain.txt');
    await expectGolden(await printed('log', origin), 'log.txt');
    await expectGolden(await printed('log', origin, '--json'), 'log-json.txt');
  });

  it.each([
    ['/api/v1/openapi.json', 'openapi.json'],
    ['/_sim/v1/openapi.json', 'control-openapi.json'],
  ])('at GET %s', async (path, file) => {
    const answer: unknown = await (await fetch(`${origin}${path}`)).json();
    await expectGolden(`${JSON.stringify(answer, null, 2)}\n`, file);
  });

  it("in a study's files", async () => {
    execFileSync(process.execPath, [MAIN, 'study', 'study.yaml', '--out', 'results'], { stdio: 'ignore' });
    await expectGolden(readFileSync('results/metrics.csv', 'utf8'), 'study-metrics.csv');
  });
});
