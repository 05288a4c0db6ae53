import bs58 from 'bs58';
import { type Control, Refused } from './client.js';

export interface ApiAnswer {
  readonly status: number;
  readonly requestId: string | null;
  readonly body: unknown;
}

/** The bytes before an Ed25519 seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
const SEED_BYTES = 32;

async function signed(text: string, secretKey: string): Promise<string> {
  if (globalThis.crypto.subtle === undefined)
    throw new Refused('This browser can sign on loopback and over HTTPS only.', 'unsupported', 0);
  const seed = bs58.decode(secretKey).subarray(0, SEED_BYTES);
  const key = await crypto.subtle.importKey(
    'pkcs8',
    Uint8Array.from([...PKCS8_HEAD, ...seed]),
    'Ed25519',
    false,
    ['sign'],
  );
  const signature = await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(text));
  return bs58.encode(new Uint8Array(signature));
}

/** Calls the bank's API as an agent whose key the simulator has, by the agent's endpoints. */
export class AgentCaller {
  readonly #control: Control;
  readonly #mount: string;

  constructor(control: Control, mount: string) {
    this.#control = control;
    this.#mount = mount;
  }

  /** Signs in; the token lasts a day. Rejects with Refused when the simulator does not have the key. */
  async signIn(wallet: string): Promise<string> {
    const { wallets } = await this.#control.do('wallets');
    const secretKey = wallets.find(({ address }) => address === wallet)?.secretKey;
    if (secretKey === undefined)
      throw new Refused(
        'The simulator does not have the key of this wallet: only its agent can sign in.',
        'key_unknown',
        0,
      );
    const post = (path: string, body: object) =>
      this.send({ method: 'POST', path, input: body, token: null });
    const challenge = await post('/api/v1/agent/auth/challenge', { wallet });
    const { challenge: message } = challenge.body as { challenge: string };
    const signature = await signed(message, secretKey);
    const { body } = await post('/api/v1/agent/auth/verify', { wallet, signature, message });
    return (body as { token: string }).token;
  }

  /**
   * Sends a call and resolves to the response, even of a refusal. `path` is below the world's prefix. Rejects with Refused when there is no
   * response.
   */
  async send(call: {
    readonly method: string;
    readonly path: string;
    readonly input: unknown;
    readonly token: string | null;
  }): Promise<ApiAnswer> {
    const { method, path, input, token } = call;
    const isRead = method === 'GET';
    const given = Object.entries((input ?? {}) as Record<string, unknown>);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(isRead || input === null ? {} : { 'content-type': 'application/json' }),
    };
    const body = isRead || input === null ? {} : { body: JSON.stringify(input) };
    const target = this.#mount + path + (isRead && query !== '' ? `?${query}` : '');
    try {
      const response = await fetch(target, { method, headers, ...body });
      const requestId = response.headers.get('x-request-id');
      return { status: response.status, requestId, body: await response.json() };
    } catch {
      throw new Refused('The connection ended before the response.', 'lost', 0);
    }
  }
}
