import * as web3 from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { ENGINES, world } from '../support/world.js';
import { call, result, valueOf } from '../api/rpc/support.js';

const fresh = (): string => web3.Keypair.generate().publicKey.toBase58();

interface Told {
  readonly meta: { readonly err: unknown };
  readonly transaction: { readonly message: { readonly accountKeys: string[] } };
}

describe.each(ENGINES)('airdrops on %s', (engine) => {
  it('are a transfer and nothing else', async () => {
    const sim = await world({ engine });
    const address = fresh();
    const signature = await result<string>(sim, 'requestAirdrop', address, 1_000_000_000);
    const told = await result<Told>(sim, 'getTransaction', signature, { encoding: 'json' });
    expect(told.transaction.message.accountKeys).toEqual([expect.any(String), address, '1'.repeat(32)]);
  });

  it('differ, also when equal ones are requested at once', async () => {
    for (const time of ['frozen', 'real'] as const) {
      const sim = await world({ engine, time });
      const address = fresh();
      const asked = Array.from({ length: 10 }, () =>
        result<string>(sim, 'requestAirdrop', address, 1_000_000),
      );
      expect(new Set(await Promise.all(asked)).size).toBe(10);
      expect(await valueOf(sim, 'getBalance', address, { commitment: 'processed' })).toBe(10_000_000);
    }
  });

  it('below the minimum of rent return a signature and fail on the chain', async () => {
    const sim = await world({ engine });
    const address = fresh();
    const signature = await result<string>(sim, 'requestAirdrop', address, 1);
    const error = { InsufficientFundsForRent: { account_index: 1 } };
    expect(await valueOf(sim, 'getSignatureStatuses', [signature])).toMatchObject([{ err: error }]);
    expect((await result<Told>(sim, 'getTransaction', signature)).meta.err).toEqual(error);
    expect(await valueOf(sim, 'getBalance', address)).toBe(0);
    expect(await sim.invariants()).toEqual([]);
  });

  it('have lamports of 64 bits', async () => {
    const sim = await world({ engine });
    const message = `{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["${fresh()}",${2n ** 64n - 1n}]}`;
    const { result: signature } = JSON.parse(await sim.rpc(message)) as { result: string };
    expect(await valueOf(sim, 'getSignatureStatuses', [signature])).toMatchObject([
      { err: { InstructionError: [0, { Custom: 1 }] } },
    ]);
  });
});

describe.each(ENGINES)('the mint of wrapped SOL on %s', (engine) => {
  it('is among the accounts of the token program', async () => {
    const sim = await world({ engine });
    const mint = 'So11111111111111111111111111111111111111112';
    const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    const config = { encoding: 'base64', filters: [{ dataSize: 82 }] };
    const found = await result<{ pubkey: string }[]>(sim, 'getProgramAccounts', program, config);
    expect(found.map(({ pubkey }) => pubkey).filter((pubkey) => pubkey === mint)).toEqual([mint]);
    expect((await call(sim, 'getTokenSupply', mint)).error).toBeUndefined();
  });
});
