import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { afterAll, beforeAll, expect } from 'vitest';
import { Command } from '../cli/process.js';

export const ENGINES = ['bankrun', 'litesvm'] as const;

/** What `sim start --json` prints. */
export interface Ready {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly treasury: string;
  readonly usdcMint: string;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
}

/** Starts a simulator in its own process for all tests of a suite; it must exit with 0. */
export function simulator(engine: string): () => Ready {
  let command: Command | null = null;
  let ready: Ready | null = null;
  beforeAll(async () => {
    command = new Command(['start', '--json', '--quiet', '--port', '0', '--engine', engine]);
    ready = JSON.parse(await command.printed('\n')) as Ready;
  }, 30_000);
  afterAll(async () => {
    command?.kill('SIGTERM');
    expect(await command?.ended()).toBe(0);
    expect(command?.stderr).toBe('');
  });
  return () => {
    if (ready === null) throw new Error('the simulator has not started');
    return ready;
  };
}

/** The secret key bytes of a funded wallet. */
export function secretOf(ready: Pick<Ready, 'wallets'>, at: number): Uint8Array {
  return bs58.decode(ready.wallets[at]?.secretKey ?? '');
}

/** A client of the bank that uses only fetch and tweetnacl. */
export class Customer {
  private constructor(
    readonly baseUrl: string,
    readonly token: string,
  ) {}

  static async signedIn(ready: Ready, secret: Uint8Array): Promise<Customer> {
    const anonymous = new Customer(ready.baseUrl, '');
    const wallet = bs58.encode(secret.subarray(32));
    const { challenge } = (await anonymous.post('/agent/auth/challenge', { wallet })) as {
      challenge: string;
    };
    const signature = bs58.encode(nacl.sign.detached(new TextEncoder().encode(challenge), secret));
    const body = { wallet, signature, message: challenge };
    const { token } = (await anonymous.post('/agent/auth/verify', body)) as { token: string };
    return new Customer(ready.baseUrl, token);
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}` },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  async checking(): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}` };
    const account = (await (await fetch(`${this.baseUrl}/agent/account`, { headers })).json()) as {
      checking: unknown;
    };
    return account.checking;
  }

  /** Records a transfer to the treasury; expects it to be accepted. */
  async record(amount: number, token: 'USDC' | 'SOL', signature: string): Promise<void> {
    const answer = await this.post('/agent/account/deposit', { amount, token, tx_signature: signature });
    expect(answer).toMatchObject({ success: true, deposit: { amount, token, tx_signature: signature } });
  }
}
