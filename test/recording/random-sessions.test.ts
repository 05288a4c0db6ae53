import { writeFileSync } from 'node:fs';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { expect, it } from 'vitest';
import type { AgentClient } from '../../src/client/client.js';
import { differencesOf, recordingOf } from './support.js';
import { readRecording } from '../../src/recording/read-recording.js';
import { toScenario } from '../../src/recording/scenario/to-scenario.js';
import type { Session } from './session.js';
import { COMMANDS } from '../../src/control/commands.js';

function rng(seed: number) {
  let s = (seed * 2654435761) >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = s;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const none = async () => undefined;
async function act(s: Session, seed: number, steps: number, concurrent: boolean): Promise<void> {
  const r = rng(seed);
  const pick = <T>(l: readonly T[]): T => l[Math.floor(r() * l.length)] as T;
  const origin = new URL(s.baseUrl).origin;
  const people: { keys: Keypair; agent: AgentClient }[] = [];
  for (let i = 0; i < 2; i++) {
    const keys = Keypair.fromSecretKey(bs58.decode(s.sim.wallets[i]!.secretKey));
    people.push({ keys, agent: await s.customer(keys.secretKey) });
  }
  people.push(await s.outsider(700));
  for (const p of people) await s.deposit(p.agent, p.keys, 400);
  const loans: string[] = [];
  const sigs: string[] = [];
  const snaps: string[] = [];
  const faults: string[] = [];
  let headers: any = null;
  const raws: Buffer[] = [];
  const control = async (name: string, more: any = {}) =>
    s.control.do(name as any, more as any) as Promise<any>;
  const token = () => pick(['USDC', 'SOL'] as const);
  const amount = () => pick([0.000001, 0.5, 1, 3.25, 10, 100, 1000, 0, -1, 1e9]);
  const ops: Record<string, () => Promise<unknown>> = {
    account: async () => pick(people).agent.account(),
    profile: async () => pick(people).agent.profile(),
    eligibility: async () => (pick(people).agent as any).eligibility?.(),
    withdraw: async () =>
      pick(people).agent.withdraw(
        {
          amount: amount(),
          token: token(),
          ...(r() < 0.3 ? { destination: pick(people).keys.publicKey.toBase58() } : {}),
        },
        r() < 0.3 ? { idempotencyKey: `k${Math.floor(r() * 3)}` } : {},
      ),
    save: async () => pick(people).agent.saveIn({ amount: amount(), token: token() }),
    unsave: async () => (pick(people).agent as any).saveOut({ amount: amount(), token: token() }),
    borrow: async () => pick(people).agent.borrow({ amount: amount() }),
    repayC: async () => (pick(people).agent as any).repay({ amount: amount() }),
    apply: async () => {
      const l = await pick(people).agent.applyForLoan({
        amount: pick([10, 50, 100, 500, 5000]),
        purpose: pick(['task', 'compute']),
        duration: pick([7, 30]),
      } as any);
      loans.push((l as any).application.id);
    },
    loans: async () => pick(people).agent.loans(),
    loan: async () => (pick(people).agent as any).loan(pick(loans)),
    repay: async () => pick(people).agent.repayLoan(pick(loans), { amount: pick([1, 10, 100]) }),
    approve: async () => control('approve', { id: pick(loans), body: { reason: 'a "q" <x' } }),
    reject: async () => control('reject', { id: pick(loans), body: { reason: 'no' } }),
    overdue: async () => control('setOverdue', { id: pick(loans), body: { reason: 'late' } }),
    def: async () => control('defaultLoan', { id: pick(loans), body: { reason: 'late' } }),
    request: async () => {
      ({ headers } = (await pick(people).agent.requestPayment({
        amount: pick([1, 2.5]),
        token: 'USDC',
      } as any)) as any);
    },
    pay: async () => {
      const p: any = await pick(people).agent.pay(
        {
          recipient: pick(people).keys.publicKey.toBase58(),
          amount: pick([1, 2.5, 300]),
          token: 'USDC',
          ...(headers && r() < 0.5 ? { payment_request: headers['X-Payment-Request'] } : {}),
        } as any,
        r() < 0.3 ? { idempotencyKey: 'p' } : {},
      );
      sigs.push(p.tx_signature);
    },
    receive: async () => pick(people).agent.receive({ tx_signature: pick(sigs) }),
    deposit: async () => {
      const p = pick(people);
      await s.deposit(p.agent, p.keys, pick([1, 5]));
    },
    depositAgain: async () =>
      pick(people).agent.deposit({ amount: 5, token: 'USDC', tx_signature: pick(sigs) }),
    send: async () => {
      const p = pick(people);
      sigs.push(
        await s.send(
          p.keys,
          r() < 0.5
            ? s.usdc(p.keys, pick(people).keys.publicKey.toBase58(), 1e6)
            : s.lamports(p.keys, pick(people).keys.publicKey.toBase58(), pick([5000000, 9e12])),
          { skipPreflight: r() < 0.3 },
        ),
      );
    },
    transactions: async () => (pick(people).agent as any).transactions({ limit: 5 }),
    yields: async () => (pick(people).agent as any).yieldRates(),
    signIn: async () => {
      const p = pick(people);
      const i = people.indexOf(p);
      people[i] = { keys: p.keys, agent: await s.customer(p.keys.secretKey) };
    },
    advance: async () => control('advance', { body: { by: pick(['1m', '1h', '13h', '3d']) } }),
    until: async () =>
      control('advance', { body: { until: pick(['interest', 'loan_due', 'price']), within: '20d' } }),
    faucet: async () =>
      control('faucet', {
        body: { address: pick(people).keys.publicKey.toBase58(), amount: 5, token: token() },
      }),
    setBalance: async () =>
      control('setBalance', {
        body: { address: pick(people).keys.publicKey.toBase58(), amount: pick([500, 50]), token: token() },
      }),
    made: async () => {
      const w = await control('createWallet', { body: { SOL: 1, USDC: 100 } });
      const keys = Keypair.fromSecretKey(bs58.decode(w.secretKey));
      people.push({ keys, agent: await s.customer(keys.secretKey) });
    },
    snapshot: async () => {
      snaps.push((await control('snapshot')).id);
    },
    revert: async () => control('revert', { id: pick(snaps) }),
    fork: async () => control('fork', { body: {} }),
    apy: async () => control('setApy', { body: { token: token(), source: pick([0.08, 0.01]) } }),
    price: async () => control('setPrice', { body: { token: token(), source: pick([1, 120, 0.9]) } }),
    fault: async () => {
      faults.push(
        (
          await control('addFault', {
            body: pick([
              { endpoint: 'account', effect: 'answer', status: 429, when: { every: 2 } },
              { endpoint: 'withdraw', effect: 'drop' },
              {
                endpoint: pick(['withdraw', 'deposit', 'x402Pay']),
                effect: 'drop',
                phase: 'after-commit',
                when: { probability: 0.5 },
              },
              { endpoint: 'withdraw', effect: 'delay', delay: '3s' },
              { rpc: 'sendTransaction', effect: 'answer', status: 503, when: { nth: 2 } },
              { rpc: '*', effect: 'drop', when: { probability: 0.3 } },
              { endpoint: '*', effect: 'answer', status: 500, when: { probability: 0.2 } },
              {
                endpoint: 'withdraw',
                phase: 'chain-submit',
                effect: pick(['fail', 'lose', 'reject', 'drop']),
              },
              {
                endpoint: 'x402Pay',
                phase: 'chain-confirm',
                effect: pick(['fail', 'lose', 'timeout', 'drop']),
              },
            ]),
          })
        ).id,
      );
    },
    noFaults: async () => control('clearFaults'),
    clear: async () => control('clearFault', { id: pick(faults) }),
    list: async () =>
      control(
        pick(
          Object.entries(COMMANDS)
            .filter(
              ([n, c]) =>
                (c as any).method === 'GET' &&
                !(c as any).path.includes('{id}') &&
                !/[sS]tate|openapi/.test(n),
            )
            .map(([n]) => n),
        ),
      ),
    freeze: async () => control('freeze'),
    run: async () => control('run'),
    scale: async () => control('scale', { body: { factor: pick([60, 100000]) } }),
    raw: async () =>
      s.raw(
        pick(['POST', 'GET', 'HEAD', 'OPTIONS', 'PUT']),
        pick(['/agent/account', '/agent/account/withdraw', '/agent/loans', '/nope']),
        { headers: { authorization: pick(['x', `Bearer ${pick(s.tokens)}`, 'Bearer y']) } },
      ),
    rpcRead: async () => s.connection.getBalance(pick(people).keys.publicKey),
    resend: async () => {
      const p = pick(people);
      const { Transaction } = await import('@solana/web3.js');
      const { blockhash } = await s.connection.getLatestBlockhash();
      const t = new Transaction({ feePayer: p.keys.publicKey, recentBlockhash: blockhash });
      t.add(...s.lamports(p.keys, p.keys.publicKey.toBase58(), Math.floor(r() * 1e6)));
      t.sign(p.keys);
      const b = t.serialize();
      raws.push(b);
      await s.connection.sendRawTransaction(b).catch(none);
      await s.connection.sendRawTransaction(pick(raws)).catch(none);
      await s.connection.sendRawTransaction(pick(raws), { skipPreflight: true }).catch(none);
    },
  };
  const names = Object.keys(ops).filter((n) => !(process.env['SKIP'] ?? '').split(',').includes(n));
  for (let i = 0; i < steps; i++) {
    const batch = concurrent ? 1 + Math.floor(r() * 5) : 1;
    await Promise.all(
      Array.from({ length: batch }, async () => {
        try {
          await ops[pick(names)]!();
        } catch {
          /* refused */
        }
      }),
    );
  }
}
const from = Number(process.env['FROM'] ?? 1),
  count = Number(process.env['COUNT'] ?? 3);
it.each(Array.from({ length: count }, (_, i) => from + i))('random %i', { timeout: 60_000 }, async (seed) => {
  const time = process.env['TIME'] ?? (['frozen', 'real', '60x'][seed % 3] as string);
  const tokens: string[] = [],
    keys: string[] = [];
  const text = await recordingOf(
    { seed: `r${seed}`, time, ...(seed % 2 ? { engine: 'bankrun' } : {}) },
    async (s) => {
      await act(s, seed, 60, process.env['CONC'] === '1');
      tokens.push(...s.tokens);
      keys.push(...s.secrets, ...s.sim.wallets.map((w) => w.secretKey));
    },
  );
  if (process.env['KEEP'] !== undefined) writeFileSync(`${process.env['KEEP']}/rand-${seed}.ndjson`, text);
  for (const x of [...tokens, ...keys]) expect(text.includes(x)).toBe(false);
  const found: string[] = [];
  for (const e of ['litesvm', 'bankrun'] as const) {
    const d = await differencesOf(text, e);
    if (d.length > 0) found.push(`${e}(${d.length}): ${d.slice(0, 3).join(' ;; ').slice(0, 500)}`);
  }
  if (process.env['SCN']) {
    try {
      await toScenario(readRecording(text, 'x'), { name: 'x', all: true });
    } catch (e) {
      found.push(
        `scenario: ${(e as Error).name} ${(e as Error).message} ${(e as Error).stack?.split('\n')[1]}`,
      );
    }
  }
  if (found.length > 0) throw new Error(found.join(' @@ '));
});
