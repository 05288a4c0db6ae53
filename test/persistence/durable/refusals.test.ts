import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WriteAheadFile } from '../../../src/persistence/durable/write-ahead-file.js';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../../src/chain/solana/wire.js';
import { KeyRing } from '../../../src/world/keys.js';
import { base64, call } from '../../api/rpc/support.js';
import { kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Delays the next write until the returned function is called. */
function slowDisk(): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const spy = vi.spyOn(WriteAheadFile.prototype, 'append').mockImplementation(async function (
    this: WriteAheadFile,
    ...args
  ) {
    await released;
    spy.mockRestore();
    await this.append(...args);
  });
  return release;
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** Turns of the event loop after which any response that does not wait for the disk has arrived. */
const TURNS = 200;

async function firstOf(answer: Promise<unknown>): Promise<string> {
  const waits = async () => {
    for (let at = 0; at < TURNS; at += 1) await turn();
    return 'waits';
  };
  return Promise.race([answer.then((body) => JSON.stringify(body)), waits()]);
}

/** Fails unless a call and its repetition wait for the disk. */
async function bothWait(ask: () => Promise<unknown>): Promise<void> {
  const release = slowDisk();
  const first = ask();
  expect(await firstOf(first)).toBe('waits');
  const second = ask();
  const told = await firstOf(second);
  release();
  await Promise.all([first, second]);
  expect(told).toBe('waits');
}

describe('a refusal that reveals the effect of another call', () => {
  it('waits in the RPC until that effect is durable', async () => {
    const sim = await kept(temporaryFolder());
    const wallet = new KeyRing(sim.config.seed).derive('faucet');
    await call(sim, 'getSlot');
    const to = sim.createWallet().address;
    const bytes = buildTransaction(
      [transferLamports(wallet.address, to, 5_000_000n)],
      [wallet],
      sim.chain.latestBlockhash().blockhash,
    );
    await sim.whenDurable();
    await bothWait(() => call(sim, 'sendTransaction', base64(bytes), { encoding: 'base64' }));
  });

  it('waits in the control interface until that effect is durable', async () => {
    const sim = await kept(temporaryFolder());
    const { id } = sim.faults.add({ endpoint: 'x402Pay', effect: 'replace-response' });
    await sim.whenDurable();
    const clear = async () => (await sim.fetch(`/_sim/v1/faults/${id}`, { method: 'DELETE' })).status;
    await sim.fetch('/_sim/v1/faults');
    await bothWait(clear);
  });
});
