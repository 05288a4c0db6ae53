import { Keypair, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { post, recordingOf } from './support.js';
import type { Session } from './session.js';

/** The text with an unnecessary JSON escape. */
const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}`;

/** The text of a recording with its decoded strings. */
function said(text: string): string {
  const strings: string[] = [text];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    JSON.parse(line, (name, value: unknown) => {
      strings.push(name, typeof value === 'string' ? value : '');
      return value;
    });
  }
  return strings.join('\n');
}

interface Known {
  readonly token: string;
  /** The secret key of a dev wallet. */
  readonly key: string;
  /** The secret key of a wallet created during the recording. */
  readonly made: string;
}

async function hidden(act: (session: Session, known: Known) => Promise<unknown>): Promise<string[]> {
  let known: Known = { token: '', key: '', made: '' };
  const text = await recordingOf({ seed: 'secrets' }, async (session) => {
    const key = session.sim.wallets[0]?.secretKey ?? '';
    await session.customer(Keypair.fromSecretKey(bs58.decode(key)).secretKey);
    const { secretKey: made } = await session.control.do('createWallet', { body: {} });
    known = { token: session.tokens.at(-1) ?? '', key, made };
    await act(session, known);
  });
  const all = said(text);
  expect(text.trimEnd().split('\n').length, 'the requests are recorded').toBeGreaterThan(4);
  const listed = (secret: string) => `[${[...bs58.decode(secret)].join(',')}]`;
  return Object.entries(known)
    .filter(([name, secret]) => all.includes(secret) || (name !== 'token' && all.includes(listed(secret))))
    .map(([name]) => name);
}

const WITHDRAW = '/agent/account/withdraw';

describe('a recording contains no secret', () => {
  it('beside the proof of a sign-in', async () => {
    const open = await hidden((session, { token, key, made }) =>
      post(
        session,
        '/agent/auth/verify',
        null,
        JSON.stringify({
          wallet: 'w',
          message: 'm',
          signature: 's',
          token,
          secretKey: key,
          more: { secretKey: made },
        }),
      ),
    );
    expect(open).toEqual([]);
  });

  it('in place of the signature of a sign-in', async () => {
    const open = await hidden((session, { token }) =>
      post(
        session,
        '/agent/auth/verify',
        null,
        JSON.stringify({ wallet: session.sim.wallets[0]?.address, message: 'm', signature: token }),
      ),
    );
    expect(open).toEqual([]);
  });

  it('in the body of a sign-in whose message is not a string', async () => {
    const open = await hidden((session, { token, key }) =>
      post(
        session,
        '/agent/auth/verify',
        null,
        JSON.stringify({ wallet: 'w', message: 5, signature: token, secretKey: key }),
      ),
    );
    expect(open).toEqual([]);
  });

  it('as a token with a JSON escape', async () => {
    const open = await hidden((session, { token }) =>
      post(session, WITHDRAW, token, `{"amount":1,"token":"USDC","memo":"${escaped(token)}"}`),
    );
    expect(open).toEqual([]);
  });

  it('as a secret key whose member has a JSON escape', async () => {
    const open = await hidden((session, { token, made }) =>
      post(session, WITHDRAW, token, `{"secret\\u004bey":"${made}"}`),
    );
    expect(open).toEqual([]);
  });

  it('in a body that is not JSON', async () => {
    for (const body of [
      (key: string) => `secretKey=${key}`,
      (key: string) => `{"secretKey":"${key}",}`,
      (_key: string, token: string) => `{"memo":"${token}",}`,
    ]) {
      const open = await hidden((session, { token, key }) =>
        post(session, WITHDRAW, token, body(key, token)),
      );
      expect(open).toEqual([]);
    }
  });

  it('as a key within a longer text', async () => {
    const open = await hidden((session, { token, key }) =>
      post(session, WITHDRAW, token, JSON.stringify({ amount: 1, token: 'USDC', memo: `mine is ${key}` })),
    );
    expect(open).toEqual([]);
  });

  it('as the key of a created wallet under another member or as an Idempotency-Key', async () => {
    const named = await hidden((session, { token, made }) =>
      post(session, WITHDRAW, token, JSON.stringify({ amount: 1, token: 'USDC', privateKey: made })),
    );
    const keyed = await hidden((session, { token, made }) =>
      post(session, WITHDRAW, token, JSON.stringify({ amount: 1, token: 'USDC' }), {
        'idempotency-key': made,
      }),
    );
    expect([named, keyed]).toEqual([[], []]);
  });

  it('as a key in the form of a byte list', async () => {
    const open = await hidden((session, { token, key }) =>
      post(session, WITHDRAW, token, JSON.stringify({ secretKey: [...bs58.decode(key)] })),
    );
    expect(open).toEqual([]);
  });

  it('in the options of a transaction or the name of a method', async () => {
    const open = await hidden(async (session, { token, key }) => {
      const sender = Keypair.fromSecretKey(bs58.decode(key));
      const call = (method: string, params: unknown[]) =>
        fetch(session.connection.rpcEndpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
      const { blockhash } = await session.connection.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: sender.publicKey, recentBlockhash: blockhash });
      transaction.add(...session.lamports(sender, sender.publicKey.toBase58(), 1));
      transaction.sign(sender);
      const bytes = transaction.serialize().toString('base64');
      await call('sendTransaction', [bytes, { encoding: 'base64', auth: token, secretKey: key }]);
      await session.control.do('addFault', {
        body: { endpoint: 'account', effect: 'replace-response', status: 429 },
      });
      await call(token, []);
    });
    expect(open).toEqual([]);
  });

  it('as the signature of a transaction that is only simulated under faults', async () => {
    let signature = '';
    let blockhash = '';
    const text = await recordingOf({ seed: 'tried' }, async (session) => {
      await session.control.do('addFault', {
        body: { endpoint: 'account', effect: 'replace-response', status: 429 },
      });
      const keys = Keypair.generate();
      ({ blockhash } = await session.connection.getLatestBlockhash());
      const transaction = new Transaction({ feePayer: keys.publicKey, recentBlockhash: blockhash });
      transaction.add(...session.lamports(keys, keys.publicKey.toBase58(), 1));
      transaction.sign(keys);
      signature = transaction.serialize().toString('base64');
      await session.connection.simulateTransaction(transaction);
    });
    expect(text).not.toContain(signature.slice(0, 80));
    const [first] = Transaction.from(Buffer.from(signature, 'base64')).signatures;
    expect(text).not.toContain(bs58.encode(first?.signature ?? Buffer.of()));
  });
});
