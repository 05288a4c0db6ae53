import { Keypair, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { recordingOf } from './support.js';
import { type Session, devKeys } from './session.js';

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
    await session.customer(devKeys(session.sim).secretKey);
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

const VERIFY = '/agent/auth/verify';
const WITHDRAW = '/agent/account/withdraw';
const PAYMENT = { amount: 1, token: 'USDC' };

/** A body, as text or as JSON, and headers. */
type Sent = (known: Known & { readonly wallet: string }) => readonly [body: unknown, headers?: object];

/** Requests with a secret, by where it stands. */
const SENT: readonly (readonly [where: string, path: string, sent: Sent])[] = [
  [
    'beside the proof of a sign-in',
    VERIFY,
    ({ token, key, made }) => [
      { wallet: 'w', message: 'm', signature: 's', token, secretKey: key, more: { secretKey: made } },
    ],
  ],
  [
    'in place of the signature of a sign-in',
    VERIFY,
    ({ token, wallet }) => [{ wallet, message: 'm', signature: token }],
  ],
  [
    'in the body of a sign-in whose message is not a string',
    VERIFY,
    ({ token, key }) => [{ wallet: 'w', message: 5, signature: token, secretKey: key }],
  ],
  [
    'as a token with a JSON escape',
    WITHDRAW,
    ({ token }) => [`{"amount":1,"token":"USDC","memo":"${escaped(token)}"}`],
  ],
  [
    'as a secret key whose member has a JSON escape',
    WITHDRAW,
    ({ made }) => [`{"secret\\u004bey":"${made}"}`],
  ],
  ['in a body that is not JSON', WITHDRAW, ({ key }) => [`secretKey=${key}`]],
  ['as the key of a created wallet', WITHDRAW, ({ made }) => [{ ...PAYMENT, privateKey: made }]],
  ['as an Idempotency-Key', WITHDRAW, ({ made }) => [PAYMENT, { 'idempotency-key': made }]],
  ['as a key in the form of a byte list', WITHDRAW, ({ key }) => [{ secretKey: [...bs58.decode(key)] }]],
];

describe('a recording contains no secret', () => {
  it.each(SENT)('%s', async (_where, path, sent) => {
    const open = await hidden((session, known) => {
      const [body, headers = {}] = sent({ ...known, wallet: session.sim.wallets[0]?.address ?? '' });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const token = path === VERIFY ? null : known.token;
      return session.post(path, text, token, headers as Record<string, string>);
    });
    expect(open).toEqual([]);
  });

  it('in the options of a transaction or the name of a method', async () => {
    const open = await hidden(async (session, { token, key }) => {
      const sender = devKeys(session.sim);
      const transfer = session.lamports(sender, sender.publicKey.toBase58(), 1);
      const bytes = (await session.signed(sender, transfer)).serialize().toString('base64');
      await session.rpc('sendTransaction', bytes, { encoding: 'base64', auth: token, secretKey: key });
      await session.control.do('addFault', {
        body: { endpoint: 'account', effect: 'replace-response', status: 429 },
      });
      await session.rpc(token);
    });
    expect(open).toEqual([]);
  });

  it('as the signature of a transaction that is only simulated under faults', async () => {
    let signature = '';
    const text = await recordingOf({ seed: 'tried' }, async (session) => {
      await session.control.do('addFault', {
        body: { endpoint: 'account', effect: 'replace-response', status: 429 },
      });
      const keys = Keypair.generate();
      const transfer = session.lamports(keys, keys.publicKey.toBase58(), 1);
      const transaction = await session.signed(keys, transfer);
      signature = transaction.serialize().toString('base64');
      await session.connection.simulateTransaction(transaction);
    });
    expect(text).not.toContain(signature.slice(0, 80));
    const [first] = Transaction.from(Buffer.from(signature, 'base64')).signatures;
    expect(text).not.toContain(bs58.encode(first?.signature ?? Buffer.of()));
  });
});
