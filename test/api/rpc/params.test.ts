import * as web3 from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { SYSTEM_PROGRAM as SYSTEM, TOKEN_PROGRAM } from '../../../src/chain/solana/addresses.js';
import { ENGINES, world } from '../../support/world.js';
import { base64, call, compiled, rpcMessage, result } from './support.js';

const TRANSACTION = 'solana_transaction::versioned::VersionedTransaction';
const MESSAGE = 'solana_message::versions::VersionedMessage';
const BASE64 = { encoding: 'base64' } as const;
const NOWHERE = bs58.encode(Buffer.alloc(32, 9));

/** The bytes of a transaction of one signer with a transfer to itself, before `change`. */
function transactionBytes(change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): string {
  const { publicKey } = web3.Keypair.generate();
  const transfer = web3.SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: publicKey, lamports: 1 });
  const bytes = new web3.VersionedTransaction(compiled(publicKey, [transfer], SYSTEM)).serialize();
  return base64(change(bytes));
}

const ofVersion126 = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 65 ? 0xfe : byte));

const many = (count: number) => Array.from({ length: count }, () => SYSTEM);
const PROCESSED = { commitment: 'processed' };
const UNREADABLE = `failed to deserialize ${TRANSACTION}`;
const SHORT = 'io error: failed to fill whole buffer';

type Refused = [text: string, method: string, ...params: unknown[]];

/** Calls that a cluster refuses, with its own text. */
const REFUSED: Refused[] = [
  ...[
    ['getMinimumBalanceForRentExemption', 10],
    ['getInflationGovernor'],
    ['getTokenAccountBalance', SYSTEM],
    ['getTokenSupply', SYSTEM],
    ['getTokenLargestAccounts', SYSTEM],
  ].map(([method, ...params]): Refused => [
    'Invalid params: missing field `commitment`.',
    method as string,
    ...params,
    {},
  ]),
  ['invalid base64 encoding: InvalidPadding', 'getFeeForMessage', 'someInvalidMessage'],
  ['invalid base64 encoding: InvalidPadding', 'sendTransaction', 'AQI', BASE64],
  ['invalid base64 encoding: InvalidByte(1, 45)', 'simulateTransaction', 'A-==', BASE64],
  ['invalid base64 encoding: InvalidLastSymbol(1, 82)', 'sendTransaction', 'AR==', BASE64],
  ["invalid base58 encoding: InvalidCharacter { character: 'l', index: 2 }", 'sendTransaction', '2zlA'],
  ["invalid base58 encoding: InvalidCharacter { character: '0', index: 0 }", 'sendTransaction', '0OIl'],
  [
    `base64 encoded ${TRANSACTION} too large: 5000 bytes (max: encoded/raw 1644/1232)`,
    'sendTransaction',
    'A'.repeat(5_000),
    BASE64,
  ],
  [
    `${UNREADABLE}: ${SHORT}`,
    'simulateTransaction',
    transactionBytes((bytes) => bytes.subarray(0, 68)),
    BASE64,
  ],
  [
    `${UNREADABLE}: invalid value: integer \`126\`, expected a valid transaction message version`,
    'sendTransaction',
    transactionBytes(ofVersion126),
    BASE64,
  ],
  [`failed to deserialize ${MESSAGE}: ${SHORT}`, 'getFeeForMessage', 'AQID'],
  [
    'sigVerify may not be used with replaceRecentBlockhash',
    'simulateTransaction',
    transactionBytes(),
    { ...BASE64, sigVerify: true, replaceRecentBlockhash: true },
  ],
  ['Method does not support commitment below `confirmed`', 'getTransaction', '5'.repeat(88), PROCESSED],
  ['Method does not support commitment below `confirmed`', 'getBlocks', 0, 1, PROCESSED],
  ['Too many inputs provided; max 100', 'getMultipleAccounts', many(101)],
  ['Too many inputs provided; max 256', 'getSignatureStatuses', many(257)],
  ['Too many inputs provided; max 128', 'getRecentPrioritizationFees', many(129)],
  ['Too many filters provided; max 4', 'getProgramAccounts', SYSTEM, { filters: many(5) }],
  ['Invalid limit; max 1000', 'getSignaturesForAddress', SYSTEM, { limit: 0 }],
  ['Invalid limit; max 1000', 'getSignaturesForAddress', SYSTEM, { limit: 1_001 }],
  ['Invalid limit; max 5000', 'getSlotLeaders', 0, 5_001],
  ['Invalid limit; max 720', 'getRecentPerformanceSamples', 721],
  ['Invalid param: could not find mint', 'getTokenAccountsByOwner', SYSTEM, { mint: NOWHERE }],
  [
    'Invalid param: Token mint could not be unpacked',
    'getTokenAccountsByOwner',
    SYSTEM,
    { mint: TOKEN_PROGRAM },
  ],
];

/** Calls whose refusal names the parameter. */
const NAMED: [says: RegExp, method: string, ...params: unknown[]][] = [
  [/offset/, 'getProgramAccounts', SYSTEM, { filters: [{ memcmp: { bytes: '2' } }] }],
  [/bytes/, 'getProgramAccounts', SYSTEM, { filters: [{ memcmp: { offset: 0 } }] }],
  [/one of/, 'getProgramAccounts', SYSTEM, { filters: [{ dataSize: 1, memcmp: { offset: 0, bytes: '2' } }] }],
  [
    /base64/,
    'getProgramAccounts',
    SYSTEM,
    { filters: [{ memcmp: { offset: 0, bytes: 'AQI', encoding: 'base64' } }] },
  ],
  [/offset/, 'getAccountInfo', SYSTEM, { dataSlice: { length: 1 } }],
  [/length/, 'getAccountInfo', SYSTEM, { dataSlice: { offset: 1 } }],
  [/mint or programId/, 'getTokenAccountsByOwner', SYSTEM, { mint: SYSTEM, programId: TOKEN_PROGRAM }],
  [/addresses/, 'simulateTransaction', transactionBytes(), { ...BASE64, accounts: {} }],
  [/pubkey \(params\[0\]\)/, 'getBalance'],
  [/pubkey \(params\[0\]\)/, 'getBalance', 'x'],
  [/params\[1\] must be an object/, 'getBalance', SYSTEM, 'confirmed'],
  [/commitment must be/, 'getBalance', SYSTEM, { commitment: 'sure' }],
  [/minContextSlot/, 'getBalance', SYSTEM, { minContextSlot: -1 }],
  [/encoding must be one of/, 'getAccountInfo', SYSTEM, { encoding: 'hex' }],
  [/pubkeys\[1\]/, 'getMultipleAccounts', [SYSTEM, 'x']],
  [/mint or programId/, 'getTokenAccountsByOwner', SYSTEM, {}],
  [/unrecognized Token program id/, 'getTokenAccountsByOwner', SYSTEM, { programId: SYSTEM }],
  [/could not find account/, 'getTokenAccountBalance', NOWHERE],
  [/not a Token account/, 'getTokenAccountBalance', SYSTEM],
  [/not a Token mint/, 'getTokenSupply', SYSTEM],
  [/filters\[0\]/, 'getProgramAccounts', SYSTEM, { filters: [{}] }],
  [/signatures\[0\]/, 'getSignatureStatuses', ['abc']],
  [/must be text/, 'sendTransaction'],
  [/lamports \(params\[1\]\)/, 'requestAirdrop', SYSTEM, 1.5],
];

describe.each(ENGINES)('parameters of the RPC on %s', (engine) => {
  it('are refused where a cluster refuses them, in its words', async () => {
    const sim = await world({ engine });
    const answers: unknown[] = [];
    for (const [, method, ...params] of REFUSED) {
      const { error } = await call(sim, method, ...params);
      answers.push([method, error?.code, error?.message]);
    }
    expect(answers).toEqual(REFUSED.map(([text, method]) => [method, -32_602, text]));
    for (const [says, method, ...params] of NAMED) {
      const { error } = await call(sim, method, ...params);
      expect([method, says, error?.code]).toEqual([method, says, -32_602]);
      expect(error?.message).toMatch(/^Invalid param: /);
      expect(error?.message).toMatch(says);
    }
    expect(await sim.rpc('{"jsonrpc":"2.0","id":1,"method":"getBalance","params":{"pubkey":1}}')).toContain(
      'params must be a list',
    );
  });

  it('may filter accounts by token accounts, raw bytes and the end of their data', async () => {
    const sim = await world({ engine });
    const list = async (...filters: unknown[]) =>
      (await result<unknown[]>(sim, 'getProgramAccounts', TOKEN_PROGRAM, { ...BASE64, filters })).length;
    const all = await list();
    const tokenAccounts = await list({ dataSize: 165 });
    expect(tokenAccounts).toBeGreaterThan(0);
    expect(tokenAccounts).toBeLessThan(all);
    expect(await list('tokenAccountState')).toBe(tokenAccounts);
    expect(await list({ tokenAccountState: null })).toBe(tokenAccounts);
    const mint = [...bs58.decode(sim.facts.usdcMint)];
    const ofMint = await list({ memcmp: { offset: 0, bytes: mint } });
    expect(ofMint).toBeGreaterThan(0);
    expect(await list({ memcmp: { offset: 0, bytes: sim.facts.usdcMint } })).toBe(ofMint);
    expect(await list({ memcmp: { offset: 0, bytes: '' } })).toBe(all);
    expect(await list({ memcmp: { offset: 1_000, bytes: '' } })).toBe(0);
  });

  it('are answered with the members of a result and of an error’s data in the order of a cluster', async () => {
    const sim = await world({ engine });
    const address = sim.wallets[0]?.address ?? '';
    expect(await sim.rpc(rpcMessage('getAccountInfo', address, BASE64))).toMatch(
      /^\{"jsonrpc":"2.0","result":\{"context":\{"apiVersion":"[^"]+","slot":\d+\},"value":\{"data":.*,"executable":.*,"lamports":.*,"owner":.*,"rentEpoch":.*,"space":\d+\}\},"id":1\}$/,
    );
    const forged = transactionBytes((bytes) => bytes.with(1, 1));
    const refused = await sim.rpc(rpcMessage('sendTransaction', forged, { ...BASE64, skipPreflight: false }));
    expect(refused).toMatch(
      /^\{"jsonrpc":"2.0","error":\{"code":-32002,"message":"[^"]+","data":\{"accounts":null,"err":/,
    );
    const { error } = JSON.parse(refused) as { error: { data: object } };
    const members = Object.keys(error.data);
    expect(members).toEqual(members.toSorted());
  });

  it('may ask for base64+zstd, which small data is as a cluster compresses it', async () => {
    const sim = await world({ engine });
    const holder = web3.Keypair.generate().publicKey.toBase58();
    const data = [Buffer.from('test data').toString('base64'), 'base64'] as [string, string];
    const account = { lamports: 5_000_000, owner: SYSTEM, data, executable: false };
    await sim.accounts.set([{ pubkey: holder, account }]);
    const { value } = await result<{ value: { data: string[] } }>(sim, 'getAccountInfo', holder, {
      encoding: 'base64+zstd',
    });
    expect(value.data).toEqual(['KLUv/QBYSQAAdGVzdCBkYXRh', 'base64+zstd']);
  });
});
