// @module-tag slow
import { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { connected } from './clients.js';
import type { Ready } from '../cli/process.js';
import { simulator } from './support.js';
import { settled, subscribed } from '../support/waiting.js';

const KEYS = 400;

function addresses(): string[] {
  return Array.from({ length: KEYS }, () => Keypair.generate().publicKey.toBase58());
}

/** Airdrops lamports to each address in one batch. */
async function airdropTo({ rpcUrl }: Ready, receivers: readonly string[]): Promise<void> {
  const calls = receivers.map((address, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'requestAirdrop',
    params: [address, 1_000_000],
  }));
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const answer = await fetch(rpcUrl, { ...init, body: JSON.stringify(calls) });
  for (const { error } of (await answer.json()) as { error?: unknown }[]) expect(error).toBeUndefined();
}

describe(`${KEYS} subscriptions`, () => {
  const ready = simulator('bankrun');

  it('all receive their notification on one connection with @solana/web3.js', async () => {
    const connection = connected(ready().rpcUrl);
    const inner = connection as unknown as {
      _rpcWebSocket: { on(event: string, heard: () => void): void; close(): void };
    };
    let disconnects = 0;
    inner._rpcWebSocket.on('close', () => {
      disconnects += 1;
    });
    const receivers = addresses();
    const notified = new Set<string>();
    const ids = receivers.map((address) =>
      connection.onAccountChange(new PublicKey(address), () => notified.add(address), {
        commitment: 'confirmed',
      }),
    );
    await subscribed(connection);
    await airdropTo(ready(), receivers);
    await settled(
      () => notified.size,
      (size) => size === KEYS,
    );
    expect(disconnects).toBe(0);
    await Promise.all(ids.map((id) => connection.removeAccountChangeListener(id)));
  }, 60_000);
});
