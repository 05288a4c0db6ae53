import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { recordingOf } from './support.js';
import { type Session, devKeys } from './session.js';

/** The text with an unnecessary JSON escape. */
const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}`;

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
  const lines = text.trimEnd().split('\n');
  expect(lines.length, 'the requests are recorded').toBeGreaterThan(4);
  // With unnecessary escapes, and without.
  const all = text + lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n');
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

/** While there is any fault, calls that only read are recorded, too. */
const FAULT = { endpoint: 'account', effect: 'replace-response', status: 429 } as const;

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
      await session.control.do('addFault', { body: FAULT });
      await session.rpc(token);
    });
    expect(open).toEqual([]);
  });

  it('as the signature of a transaction that is only simulated under faults', async () => {
    let bytes: Uint8Array = new Uint8Array(0);
    const text = await recordingOf({ seed: 'tried' }, async (session) => {
      await session.control.do('addFault', { body: FAULT });
      const keys = Keypair.generate();
      const transaction = await session.signed(keys, session.lamports(keys, keys.publicKey.toBase58(), 1));
      bytes = transaction.serialize();
      await session.connection.simulateTransaction(transaction);
    });
    expect(text).toContain('"method":"simulateTransaction"');
    expect(text).not.toContain(Buffer.from(bytes.subarray(0, 60)).toString('base64'));
    expect(text).not.toContain(bs58.encode(bytes.subarray(1, 65)));
  });
});
