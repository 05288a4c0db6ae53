import { createKeyPairSignerFromBytes } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import bs58 from 'bs58';
import { expect, onTestFinished, vi } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { ORIGIN } from '../sdk/x402/support.js';

const NETWORKS = [
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
] as const;

type Signer = ConstructorParameters<typeof ExactSvmScheme>[0];
type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The standard client with a dev wallet, over the RPC of a world. */
export class StandardPayer {
  readonly #http: x402HTTPClient;
  readonly #client: x402Client;

  private constructor(client: x402Client) {
    this.#client = client;
    this.#http = new x402HTTPClient(client);
  }

  static async of(sim: Simulator, at: number): Promise<StandardPayer> {
    const { url } = await sim.listenRpc();
    const secret = bs58.decode(sim.wallets[at]?.secretKey ?? '');
    const signer = (await createKeyPairSignerFromBytes(secret)) as unknown as Signer;
    const client = new x402Client();
    client.setSpendControls(false);
    for (const network of NETWORKS) client.register(network, new ExactSvmScheme(signer, { rpcUrl: url }));
    for (const network of ['solana', 'solana-devnet'] as const)
      client.registerV1(network, new ExactSvmSchemeV1(signer, { rpcUrl: url }));
    return new StandardPayer(client);
  }

  /** The header that pays for a 402 response: version 2 from its headers, version 1 from its body. */
  async sign(response: Response, version: 1 | 2 = 2): Promise<Record<string, string>> {
    expect(response.status).toBe(402);
    const body: unknown = await response.json();
    const required = this.#http.getPaymentRequiredResponse(
      (name) => (version === 2 ? response.headers.get(name) : null),
      body,
    );
    return this.#http.encodePaymentSignatureHeader(await this.#client.createPaymentPayload(required));
  }

  /** Requests, pays, and requests again. */
  async buy(fetch: Fetch, path: string, version: 1 | 2 = 2, init: RequestInit = {}): Promise<Response> {
    const headers = await this.sign(await fetch(`${ORIGIN}${path}`, init), version);
    return fetch(`${ORIGIN}${path}`, { ...init, headers });
  }
}

/** Silences the SDK's error output. */
export function quiet(): void {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => spy.mockRestore());
}
