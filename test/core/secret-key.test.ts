import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { resolveConfig } from '../../src/runtime/config.js';
import { loadSecretKey, secretKeyBytes } from '../../src/core/secret-key.js';
import { temporaryFile } from '../support/temporary-folder.js';

const WALLET = AgentWallet.generate();
const BASE58 = WALLET.secretKey();
const BYTES = bs58.decode(BASE58);
const NUMBERS = [...BYTES];

/** The error message about a key, which must not reveal it. */
function errorMessageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('it was taken');
}

describe('secret key input', () => {
  it.each([
    ['base58', BASE58],
    ['base58 with a line end', `${BASE58}\n`],
    ['bytes', BYTES],
    ['numbers', NUMBERS],
    ['numbers as JSON text, as solana-keygen writes them', JSON.stringify(NUMBERS)],
  ])('is accepted as %s by wallets and by the configuration', (_, key) => {
    expect([...secretKeyBytes(key)]).toEqual(NUMBERS);
    expect(AgentWallet.fromSecretKey(key).address).toBe(WALLET.address);
    if (key instanceof Uint8Array) return;
    const cluster = { engine: 'cluster', clusterUrl: 'http://127.0.0.1:1', treasuryKey: key };
    expect(resolveConfig(cluster).cluster?.treasury.address).toBe(WALLET.address);
  });

  it('is read from a file that holds base58 or a JSON array', () => {
    for (const text of [BASE58, `${JSON.stringify(NUMBERS)}\n`]) {
      expect(AgentWallet.fromFile(temporaryFile(text)).address).toBe(WALLET.address);
      expect([...loadSecretKey(temporaryFile(text))]).toEqual(NUMBERS);
    }
    expect([...loadSecretKey(BASE58)]).toEqual(NUMBERS);
    expect([...loadSecretKey(JSON.stringify(NUMBERS))]).toEqual(NUMBERS);
  });

  it('reports the allowed forms for an invalid key without revealing it', () => {
    const other = AgentWallet.generate();
    const mixed = [...NUMBERS.slice(0, 32), ...bs58.decode(other.address)];
    const allowed = /64 bytes.*base58.*JSON array of 64 numbers/;
    for (const bad of [
      BASE58.slice(0, -9),
      `${BASE58.slice(0, -1)}0`,
      bs58.encode(Uint8Array.from(mixed)),
      JSON.stringify(NUMBERS.slice(0, 32)),
      JSON.stringify(NUMBERS).slice(0, -1),
      JSON.stringify([...NUMBERS.slice(1), 256]),
      '',
    ]) {
      for (const work of [
        () => secretKeyBytes(bad),
        () => loadSecretKey(bad),
        () => AgentWallet.fromSecretKey(bad),
        () => AgentWallet.fromFile(temporaryFile(bad)),
        () => resolveConfig({ engine: 'cluster', clusterUrl: 'http://127.0.0.1:1', treasuryKey: bad }),
      ]) {
        const message = errorMessageOf(work);
        expect(message).toMatch(allowed);
        expect(message).not.toContain(BASE58.slice(0, 8));
        expect(message).not.toContain(NUMBERS.slice(0, 3).join(','));
      }
    }
    expect(errorMessageOf(() => secretKeyBytes(mixed))).toContain('the last 32 are not the public key');
    expect(errorMessageOf(() => secretKeyBytes([1.5, ...NUMBERS.slice(1)]))).toMatch(allowed);
    expect(errorMessageOf(() => secretKeyBytes(NUMBERS.slice(1)))).toContain('these are 63');
    expect(errorMessageOf(() => loadSecretKey('/nowhere/key.json'))).toMatch(/cannot be read \(ENOENT\)/);
  });
});
