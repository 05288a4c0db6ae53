import bs58 from 'bs58';
import { queryText } from '../text/routes.js';
import { type Control, Refused } from './client.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly input: unknown;
  readonly token: string | null;
}

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
    throw new Refused('This browser can sign on loopback and over HTTPS only.');
  const seed = bs58.decode(secretKey).subarray(0, SEED_BYTES);
  const pkcs8 = Uint8Array.from([...PKCS8_HEAD, ...seed]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  const signature = await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(text));
  return bs58.encode(new Uint8Array(signature));
}

/**
 * Calls the bank's API in the world of `control`, and resolves to the response, even of a refusal. `path` is below the world's prefix. Rejects
 * with Refused when there is no response.
 */
export async function send(control: Control, { method, path, input, token }: Call): Promise<ApiAnswer> {
  const isRead = method === 'GET';
  const headers = new Headers();
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  const init: RequestInit = { method, headers };
  if (!isRead && input !== null) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(input);
  }
  const query = isRead ? queryText((input ?? {}) as Record<string, unknown>) : '';
  try {
    const response = await fetch(control.mount + path + query, init);
    const requestId = response.headers.get('x-request-id');
    return { status: response.status, requestId, body: await response.json() };
  } catch {
    throw new Refused('The connection ended before the response.');
  }
}

/** Signs in as an agent; the token lasts a day. Rejects with Refused when the simulator does not have the key. */
export async function signIn(control: Control, wallet: string): Promise<string> {
  const { wallets } = await control.do('wallets');
  const secretKey = wallets.find(({ address }) => address === wallet)?.secretKey;
  if (secretKey === undefined)
    throw new Refused('The simulator does not have the key of this wallet: only its agent can sign in.');
  const post = async (step: string, input: object) => {
    const path = `/api/v1/agent/auth/${step}`;
    return (await send(control, { method: 'POST', path, input, token: null })).body;
  };
  const { challenge: message } = (await post('challenge', { wallet })) as { challenge: string };
  const signature = await signed(message, secretKey);
  return ((await post('verify', { wallet, signature, message })) as { token: string }).token;
}
