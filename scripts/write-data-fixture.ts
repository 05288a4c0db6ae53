// Writes a data folder of the present format, which later versions must load: npx tsx scripts/write-data-fixture.ts. Once a version.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA_FILE } from '../src/persistence/durable/write-ahead-file.js';
import { DATA_FORMAT } from '../src/persistence/durable/frames.js';
import { createSimulator } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'sim-fixture-'));
const sim = await createSimulator({
  dataDir: folder,
  engine: 'litesvm',
  time: 'frozen',
  seed: 'fixture',
  variants: { withdrawals: 'queued' },
});
const [alice, bob] = [sim.agent(0), sim.agent(1)];
await alice.fund(500, 'USDC');
await alice.fund(3, 'SOL');
await bob.fund(40, 'USDC');
await alice.depositSavings({ amount: 200, token: 'USDC' });
await alice.borrow({ amount: 50 });
await alice.withdraw({ amount: 7, token: 'USDC' }, { idempotencyKey: 'kept' });
await alice.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
sim.faults.add({ endpoint: 'x402Pay', effect: 'delay-transaction', delay: '15m', when: { times: 1 } });
const payment = { recipient: bob.wallet.address, amount: 2, token: 'USDC' } as const;
// Its outcome is not told before the transaction arrives.
await alice.pay({ ...payment, service_url: 'https://service.example' }).catch(() => undefined);
await sim.advance('5m');
await alice.signIn();
const to = join('fixtures', 'data', `format-${DATA_FORMAT}`);
mkdirSync(to, { recursive: true });
cpSync(join(folder, DATA_FILE), join(to, DATA_FILE));
const accounts = [await alice.account(), await bob.account()];
writeFileSync(
  join(to, 'expected.json'),
  `${JSON.stringify({ now: sim.now().toISOString(), accounts }, null, 2)}\n`,
);
await sim.close();
rmSync(folder, { recursive: true });
