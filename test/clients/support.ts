import bs58 from 'bs58';
import { type Ready, servingSuite } from '../cli/process.js';

/** A simulator in its own process for all tests of a suite, by what `sim start --json` printed. */
export function simulator(engine: string): () => Ready {
  const server = servingSuite('--engine', engine);
  return () => server().ready;
}

/** The secret key bytes of a funded wallet. */
export function secretOf(ready: Pick<Ready, 'wallets'>, at: number): Uint8Array {
  return bs58.decode(ready.wallets[at]?.secretKey ?? '');
}
