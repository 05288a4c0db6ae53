import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import { ControlClient } from '../../../src/api/control/client.js';
import {
  OPERATIONS,
  type SentRequest,
  curlText,
  isWhole,
  jsonText,
  literalText,
  noStepText,
  programText,
  stepText,
} from '../../../src/inspector/text/copies.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { agentWith, world } from '../../support/world.js';
import { played, troubles } from '../../testing/scenario/played.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { forAll } from '../../support/for-all.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** Memos that a shell, YAML or TypeScript could take for something else. */
const HOSTILE = `it's "quoted" $(touch x) \`id\` \\n #: {a} </script>`;

/** The last request of an operation, as the event log has it. */
function lastOf(sim: Simulator, operation: string): SentRequest {
  const found = sim.events
    .page({ after: 0, limit: 1_000, kind: 'request' })
    .events.findLast(({ body }) => body.kind === 'request' && body.operation === operation);
  if (found?.body.kind !== 'request') throw new Error(`there was no ${operation}`);
  return found.body;
}

async function served() {
  const sim = await world();
  const { origin } = await sim.listen();
  const agent = await agentWith(sim, 0, { usdc: 100 });
  return { sim, origin, agent };
}

/** Runs a program in a folder where the package is installed. */
async function programOutput(text: string): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'agent-bank-sim'));
  writeFileSync(join(folder, 'copied.mjs'), text);
  return (await run(process.execPath, ['copied.mjs'], { cwd: folder })).stdout;
}

describe('a request copied as curl', () => {
  it('does the same again with hostile texts', async () => {
    const { sim, origin, agent } = await served();
    const { token } = await agent.signIn();
    await agent.pay({ recipient: sim.wallets[1]?.address ?? '', amount: 2, token: 'USDC', memo: HOSTILE });
    const { stdout } = await run('bash', ['-c', curlText(lastOf(sim, 'x402Pay'), { origin, token })]);
    expect((JSON.parse(stdout) as { receipt: { memo: string } }).receipt.memo).toBe(HOSTILE);
  });

  it('sends the query of a read, and commands', { tags: ['slow'] }, async () => {
    const { sim, origin, agent } = await served();
    const { token } = await agent.signIn();
    await agent.transactions({ type: 'deposit', limit: 1 });
    const read = await run('bash', ['-c', curlText(lastOf(sim, 'transactions'), { origin, token })]);
    expect((JSON.parse(read.stdout) as { transactions: unknown[] }).transactions).toHaveLength(1);
    await new ControlClient({ origin }).do('advance', { body: { by: '1d' } });
    const before = sim.now().getTime();
    await run('bash', ['-c', curlText(lastOf(sim, 'advance'), { origin, token: null })]);
    expect(sim.now().getTime() - before).toBe(86_400_000);
  });
});

describe('a request copied as TypeScript', () => {
  it('does the same again as the same agent', { tags: ['slow'] }, async () => {
    const { sim, origin, agent } = await served();
    await agent.pay({ recipient: sim.wallets[1]?.address ?? '', amount: 2, token: 'USDC', memo: HOSTILE });
    await programOutput(programText(lastOf(sim, 'x402Pay'), origin) ?? '');
    const { transactions } = await agent.transactions({ type: 'x402_payment' });
    expect(transactions.map(({ memo, amount }) => [memo, amount])).toEqual([
      [HOSTILE, 2],
      [HOSTILE, 2],
    ]);
  });

  it('runs commands with the id of their path', { tags: ['slow'] }, async () => {
    const { sim, origin } = await served();
    const control = new ControlClient({ origin });
    const { id } = await control.do('snapshot', { body: {} });
    await control.do('revert', { id, body: {} });
    const text = programText(lastOf(sim, 'revert'), origin) ?? '';
    expect(await programOutput(text)).toContain(id);
  });
});

describe('an RPC call', () => {
  it('does the same again as curl and as TypeScript, and is no step', { tags: ['slow'] }, async () => {
    const { sim } = await served();
    const { url } = await sim.listenRpc();
    const address = sim.wallets[3]?.address ?? '';
    const call = { jsonrpc: '2.0', id: 7, method: 'requestAirdrop', params: [address, 2_000_000_000] };
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) });
    const request = lastOf(sim, 'requestAirdrop');
    const before = (await sim.chain.balances(address)).lamports;
    const { stdout } = await run('bash', ['-c', curlText(request, { origin: url, token: null })]);
    expect(JSON.parse(stdout)).toMatchObject({ jsonrpc: '2.0' });
    expect(await programOutput(programText(request, url) ?? '')).toContain('result');
    expect((await sim.chain.balances(address)).lamports - before).toBe(4_000_000_000n);
    expect([stepText(request), noStepText(request)]).toEqual([null, expect.stringContaining('RPC')]);
  });

  it('is known whole unless its parameters are large', async () => {
    const { sim } = await served();
    const { url } = await sim.listenRpc();
    for (const params of [undefined, ['x'.repeat(3_000)]]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params });
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(isWhole(lastOf(sim, 'getSlot'))).toBe(params === undefined);
    }
  });
});

describe('a request copied as a step', () => {
  it('plays in a scenario, with the code that refused it', async () => {
    const { sim, agent } = await served();
    const recipient = sim.wallets[1]?.address ?? '';
    await agent.pay({ recipient, amount: 2, token: 'USDC', memo: HOSTILE });
    await agent.withdraw({ amount: 5_000, token: 'USDC' }).catch(() => undefined);
    await agent.account();
    const { origin } = await sim.listen();
    await new ControlClient({ origin }).do('setApy', { body: { token: 'USDC', source: '5%' } });
    const copied = ['x402Pay', 'withdraw', 'account', 'setApy'].map((name) => stepText(lastOf(sim, name)));
    expect(copied[1]).toContain('expect: { code: insufficient_balance }');
    const steps = copied.map((step) => (step ?? '').replaceAll(/^/gm, '  ')).join('\n');
    const text = `name: copied\nagents:\n  agent: { checking: { usdc: 100 } }\nsteps:\n${steps}\n`;
    expect(troubles(await played(text))).toEqual([]);
  });

  it('is none for a sign-in, which agents of a scenario do by themselves', async () => {
    const { sim } = await served();
    expect(noStepText(lastOf(sim, 'verify'))).toContain('sign in automatically');
    expect(noStepText(lastOf(sim, 'deposit'))).toBeNull();
  });

  it('is the call when a fault has answered it', async () => {
    const { sim, agent, origin } = await served();
    sim.faults.add({ endpoint: 'withdraw', effect: 'replace-response', status: 429 });
    await agent.withdraw({ amount: 5, token: 'USDC' }).catch(() => undefined);
    const request = lastOf(sim, 'withdraw');
    expect(stepText(request)).toContain('agent.withdraw: { "amount": 5, "token": "USDC" }');
    expect(programText(request, origin)).toContain('agent.withdraw({ "amount": 5, "token": "USDC" })');
  });

  it('has a verb and a method for every operation', () => {
    const known = Object.keys(endpoints(DEFAULT_VARIANTS)).filter(
      (name) => !['challenge', 'verify'].includes(name),
    );
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(known.toSorted());
  });
});

it('values in YAML and TypeScript are read as what they were', () => {
  forAll(fc.jsonValue(), (value) => {
    const plain = JSON.parse(JSON.stringify(value)) as unknown;
    expect(parse(jsonText(plain), { keepSourceTokens: false })).toEqual(plain);
    // oxlint-disable-next-line typescript/no-implied-eval -- what a program would read
    expect(new Function(`return (${literalText(plain)})`)()).toEqual(plain);
  });
});
