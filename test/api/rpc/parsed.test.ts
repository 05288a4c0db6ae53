import * as spl from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseAccount } from '../../../src/api/rpc/parsed/accounts.js';
import { uiTokenAmount } from '../../../src/api/rpc/parsed/amounts.js';
import { parseInstruction } from '../../../src/api/rpc/parsed/instructions.js';
import * as solana from '../../../src/chain/solana/addresses.js';
import { KEYS, account, bytes, u16, u32 } from './parsed-support.js';
import { forAllOf } from '../../support/for-all.js';

const { A, B, C, D, E, F, a, b, c, d, e, f } = KEYS;
const {
  SYSVARS,
  ASSOCIATED_TOKEN_PROGRAM: ASSOCIATED,
  LOOKUP_TABLE_PROGRAM: LOOKUP,
  MEMO_PROGRAM: MEMO,
  MEMO_V1_PROGRAM: MEMO_V1,
  SYSTEM_PROGRAM: SYSTEM,
  TOKEN_PROGRAM: TOKEN,
  TOKEN_2022_PROGRAM: TOKEN_2022,
} = solana;
const NONE = new Uint8Array(32);
const { recentBlockhashes: BLOCKHASHES, rent: RENT } = SYSVARS;

const { AddressLookupTableProgram: Tables, SystemProgram: System } = web3;
const { AuthorityType, ExtensionType: Extension } = spl;

const plain = (instruction: web3.TransactionInstruction) => ({
  programId: instruction.programId.toBase58(),
  accounts: instruction.keys.map(({ pubkey }) => pubkey.toBase58()),
  data: new Uint8Array(instruction.data),
});

/** What stands under `parsed` for an instruction; null for one without a parsed form. */
const raw = (programId: string, accounts: string[], data: Uint8Array): unknown =>
  parseInstruction({ programId, accounts, data })?.parsed ?? null;

function says(instruction: web3.TransactionInstruction, type: string, info: object): void {
  expect(parseInstruction(plain(instruction))?.parsed).toEqual({ type, info });
}

function ui(amount: string, decimals: number, uiAmount: number | null, uiAmountString: string) {
  return { amount, decimals, uiAmount, uiAmountString };
}

it('parsed amounts have the form of a node’s', () => {
  for (const expected of [
    ui('0', 6, 0, '0'),
    ui('1500000', 6, 1.5, '1.5'),
    ui('100000000', 6, 100, '100'),
    ui('100', 0, 100, '100'),
    ui('18446744073709551615', 9, 18_446_744_073.709553, '18446744073.709551615'),
    ui('1', 19, 1e-19, '0.0000000000000000001'),
    ui('1', 20, null, '0.00000000000000000001'),
  ])
    expect(uiTokenAmount(BigInt(expected.amount), expected.decimals)).toEqual(expected);
});

describe('parsed system instruction', () => {
  const seeded = { basePubkey: C, seed: 'sæd', programId: D };
  const nonce = { noncePubkey: A, authorizedPubkey: B };
  const sysvars = { recentBlockhashesSysvar: BLOCKHASHES, rentSysvar: RENT };

  it('of a transfer has exact lamports beyond safe integers', () => {
    const transfer = System.transfer({ fromPubkey: A, toPubkey: B, lamports: 5 });
    const parsed = { type: 'transfer', info: { source: a, destination: b, lamports: 5 } };
    expect(parseInstruction(plain(transfer))).toEqual({ program: 'system', programId: SYSTEM, parsed });
    const info = { ...parsed.info, lamports: 9_007_199_254_740_993n };
    expect(raw(SYSTEM, [a, b], bytes(u32(2), 2n ** 53n + 1n))).toEqual({ type: 'transfer', info });
    const bySeed = { fromPubkey: A, basePubkey: B, toPubkey: C, lamports: 7, seed: 's', programId: D };
    const source = { source: a, sourceBase: b, sourceSeed: 's', sourceOwner: d };
    says(System.transfer(bySeed), 'transferWithSeed', { ...source, destination: c, lamports: 7 });
  });

  it('of a creation, allocation or assignment has its fields', () => {
    const fresh = { fromPubkey: A, newAccountPubkey: B, lamports: 7, space: 165 };
    const made = { source: a, newAccount: b, lamports: 7, space: 165 };
    says(System.createAccount({ ...fresh, programId: C }), 'createAccount', { ...made, owner: c });
    const madeBySeed = { ...made, base: c, seed: 'sæd', owner: d };
    says(System.createAccountWithSeed({ ...fresh, ...seeded }), 'createAccountWithSeed', madeBySeed);
    says(System.assign({ accountPubkey: A, programId: B }), 'assign', { account: a, owner: b });
    says(System.allocate({ accountPubkey: A, space: 10 }), 'allocate', { account: a, space: 10 });
    const info = { account: a, base: c, seed: 'sæd', owner: d };
    const allocate = System.allocate({ accountPubkey: A, space: 9, ...seeded });
    says(allocate, 'allocateWithSeed', { ...info, space: 9 });
    says(System.assign({ accountPubkey: A, ...seeded }), 'assignWithSeed', info);
  });

  it('of a nonce has its fields', () => {
    const info = { nonceAccount: a, nonceAuthority: b };
    says(System.nonceAdvance(nonce), 'advanceNonce', { ...info, recentBlockhashesSysvar: BLOCKHASHES });
    const withdrawn = { ...info, ...sysvars, destination: c, lamports: 3 };
    says(System.nonceWithdraw({ ...nonce, toPubkey: C, lamports: 3 }), 'withdrawFromNonce', withdrawn);
    says(System.nonceInitialize(nonce), 'initializeNonce', { ...info, ...sysvars });
    const authorize = System.nonceAuthorize({ ...nonce, newAuthorizedPubkey: C });
    says(authorize, 'authorizeNonce', { ...info, newAuthorized: c });
    const upgraded = { type: 'upgradeNonce', info: { nonceAccount: a } };
    expect(raw(SYSTEM, [a], bytes(u32(12)))).toEqual(upgraded);
  });

  it('of a creation with prefunding names the source only when it moves lamports', () => {
    const create = (lamports: bigint): Uint8Array => bytes(u32(13), lamports, 8n, C);
    const type = 'createAccountAllowPrefund';
    const made = { newAccount: a, space: 8, owner: c };
    expect(raw(SYSTEM, [a, b], create(4n))).toEqual({ type, info: { ...made, source: b, lamports: 4 } });
    expect(raw(SYSTEM, [a], create(0n))).toEqual({ type, info: made });
    expect(raw(SYSTEM, [a], create(4n))).toBeNull();
  });

  it('has no parsed form when a seed has a wrong length or is not UTF-8', () => {
    const assign = (length: bigint, text: number[]): unknown =>
      raw(SYSTEM, [a, c], bytes(u32(10), C, length, text, D));
    expect(assign(2n, [65, 66])).toMatchObject({ info: { seed: 'AB' } });
    expect(assign(2n ** 64n - 1n, [65])).toBeNull();
    expect(assign(2n, [0xc3, 0x28])).toBeNull();
  });
});

describe('parsed token instruction', () => {
  const half = { tokenAmount: ui('5', 1, 0.5, '0.5') };

  it('has the program name spl-token for both programs', () => {
    const parsed = { type: 'transfer', info: { source: a, destination: b, amount: '5', authority: c } };
    for (const programId of [TOKEN, TOKEN_2022]) {
      const program = new web3.PublicKey(programId);
      const transfer = spl.createTransferInstruction(A, B, C, 5n, [], program);
      expect(parseInstruction(plain(transfer))).toEqual({ program: 'spl-token', programId, parsed });
    }
  });

  it('names a multisig and its signers', () => {
    const transfer = spl.createTransferCheckedInstruction(A, B, C, D, 2n, 0, [E, F]);
    const moved = { source: a, mint: b, destination: c, tokenAmount: ui('2', 0, 2, '2') };
    says(transfer, 'transferChecked', { ...moved, multisigAuthority: d, signers: [e, f] });
    const by = { signers: [d] };
    const minted = { mint: a, account: b, amount: '2', multisigMintAuthority: c, ...by };
    says(spl.createMintToInstruction(A, B, C, 2n, [D]), 'mintTo', minted);
    const closed = { account: a, destination: b, multisigOwner: c, ...by };
    says(spl.createCloseAccountInstruction(A, B, C, [D]), 'closeAccount', closed);
    const frozen = { account: a, mint: b, multisigFreezeAuthority: c, ...by };
    says(spl.createFreezeAccountInstruction(A, B, C, [D]), 'freezeAccount', frozen);
  });

  it('of a transfer, approval, mint or burn has its fields', () => {
    const moved = { source: a, mint: b, destination: c, tokenAmount: ui('1500000', 6, 1.5, '1.5') };
    const transfer = spl.createTransferCheckedInstruction(A, B, C, D, 1_500_000n, 6);
    says(transfer, 'transferChecked', { ...moved, authority: d });
    const approved = { source: a, delegate: b, amount: '5', owner: c };
    says(spl.createApproveInstruction(A, B, C, 5n), 'approve', approved);
    const approve = spl.createApproveCheckedInstruction(A, B, C, D, 5n, 1);
    says(approve, 'approveChecked', { source: a, mint: b, delegate: c, owner: d, ...half });
    says(spl.createRevokeInstruction(A, B), 'revoke', { source: a, owner: b });
    const minted = { mint: a, account: b, mintAuthority: c };
    says(spl.createMintToInstruction(A, B, C, 5n), 'mintTo', { ...minted, amount: '5' });
    says(spl.createMintToCheckedInstruction(A, B, C, 5n, 1), 'mintToChecked', { ...minted, ...half });
    const burnt = { account: a, mint: b, authority: c };
    says(spl.createBurnInstruction(A, B, C, 5n), 'burn', { ...burnt, amount: '5' });
    says(spl.createBurnCheckedInstruction(A, B, C, 5n, 1), 'burnChecked', { ...burnt, ...half });
  });

  it('of opening, closing or freezing an account has its fields', () => {
    const opened = { account: a, mint: b, owner: c };
    const withRent = { ...opened, rentSysvar: RENT };
    says(spl.createInitializeAccountInstruction(A, B, C), 'initializeAccount', withRent);
    says(spl.createInitializeAccount2Instruction(A, B, C), 'initializeAccount2', withRent);
    says(spl.createInitializeAccount3Instruction(A, B, C), 'initializeAccount3', opened);
    const immutable = spl.createInitializeImmutableOwnerInstruction(A, spl.TOKEN_2022_PROGRAM_ID);
    says(immutable, 'initializeImmutableOwner', { account: a });
    const closed = { account: a, destination: b, owner: c };
    says(spl.createCloseAccountInstruction(A, B, C), 'closeAccount', closed);
    const frozen = { account: a, mint: b, freezeAuthority: c };
    says(spl.createFreezeAccountInstruction(A, B, C), 'freezeAccount', frozen);
    says(spl.createThawAccountInstruction(A, B, C), 'thawAccount', frozen);
    says(spl.createSyncNativeInstruction(A), 'syncNative', { account: a });
  });

  it('of a new mint or multisig has its fields', () => {
    const made = { mint: a, decimals: 6, mintAuthority: b };
    const whole = { ...made, freezeAuthority: c, rentSysvar: RENT };
    says(spl.createInitializeMintInstruction(A, 6, B, C), 'initializeMint', whole);
    says(spl.createInitializeMint2Instruction(A, 6, B, null), 'initializeMint2', made);
    const info = { multisig: a, signers: [b, c], m: 2 };
    const multisig = spl.createInitializeMultisigInstruction(A, [B, C], 2);
    says(multisig, 'initializeMultisig', { ...info, rentSysvar: RENT });
    expect(raw(TOKEN, [a, b, c], bytes(19, 2))).toEqual({ type: 'initializeMultisig2', info });
  });

  it('of a change of authority has its fields', () => {
    const set = spl.createSetAuthorityInstruction;
    const ofMint = { mint: a, authorityType: 'mintTokens', newAuthority: c, authority: b };
    says(set(A, B, AuthorityType.MintTokens, C), 'setAuthority', ofMint);
    const ofAccount = { account: a, authorityType: 'accountOwner', newAuthority: c, authority: b };
    says(set(A, B, AuthorityType.AccountOwner, C), 'setAuthority', ofAccount);
    const none = { account: a, authorityType: 'closeAccount', newAuthority: null };
    const by = { multisigAuthority: b, signers: [c] };
    says(set(A, B, AuthorityType.CloseAccount, null, [C]), 'setAuthority', { ...none, ...by });
    expect(raw(TOKEN, [a, b], bytes(6, 99, 0))).toBeNull();
  });

  it('of a query to the program has its fields', () => {
    const amount = { mint: a, amount: '5' };
    says(spl.createAmountToUiAmountInstruction(A, 5n), 'amountToUiAmount', amount);
    const uiAmount = { mint: a, uiAmount: '0.5' };
    says(spl.createUiAmountToAmountInstruction(A, '0.5'), 'uiAmountToAmount', uiAmount);
    const type = 'getAccountDataSize';
    const size = (...extensions: number[]): unknown => raw(TOKEN_2022, [a], bytes(21, extensions));
    expect(size()).toEqual({ type, info: { mint: a } });
    const extensionTypes = ['immutableOwner', 'memoTransfer'];
    expect(size(...u16(7), ...u16(8))).toEqual({ type, info: { mint: a, extensionTypes } });
    expect(size(7)).toBeNull();
    expect(size(...u16(999))).toBeNull();
  });
});

describe('parsed associated token instruction', () => {
  const info = { source: a, account: b, wallet: c, mint: d, systemProgram: SYSTEM, tokenProgram: TOKEN };
  const accounts = [a, b, c, d, SYSTEM, TOKEN];

  it('of a creation, with or without data, or a recovery has its fields', () => {
    const create = plain(spl.createAssociatedTokenAccountInstruction(A, B, C, D));
    expect(parseInstruction(create)?.program).toBe('spl-associated-token-account');
    says(spl.createAssociatedTokenAccountInstruction(A, B, C, D), 'create', info);
    expect(raw(ASSOCIATED, accounts, bytes())).toEqual({ type: 'create', info });
    expect(raw(ASSOCIATED, [...accounts, RENT], bytes(0))).toEqual({ type: 'create', info });
    says(spl.createAssociatedTokenAccountIdempotentInstruction(A, B, C, D), 'createIdempotent', info);
    expect(raw(ASSOCIATED, accounts, bytes(1, 0))).toBeNull();
    expect(raw(ASSOCIATED, accounts, bytes(3))).toBeNull();
    expect(raw(ASSOCIATED, accounts.slice(1), bytes(1))).toBeNull();
    const nested = { nestedSource: a, nestedMint: b, destination: c, nestedOwner: d };
    const owned = { ownerMint: e, wallet: f, tokenProgram: TOKEN };
    const recover = spl.createRecoverNestedInstruction(A, B, C, D, E, F);
    says(recover, 'recoverNested', { ...nested, ...owned });
  });
});

it('parsed memos are their text, for both programs, and absent for invalid UTF-8', () => {
  const parsed = '\u{FEFF}héllo';
  const data = new TextEncoder().encode(parsed);
  for (const programId of [MEMO, MEMO_V1]) {
    const found = parseInstruction({ programId, accounts: [], data });
    expect(found).toEqual({ program: 'spl-memo', programId, parsed });
  }
  expect(raw(MEMO, [], bytes())).toBe('');
  expect(raw(MEMO, [], bytes(128))).toBeNull();
});

it('parsed address lookup table instructions have their fields', () => {
  const given = { lookupTable: A, authority: B };
  const table = { lookupTableAccount: a, lookupTableAuthority: b };
  const payer = { payerAccount: c, systemProgram: SYSTEM };
  const [create, address] = Tables.createLookupTable({ authority: B, payer: C, recentSlot: 42 });
  const made = { ...table, ...payer, lookupTableAccount: address.toBase58(), recentSlot: 42 };
  says(create, 'createLookupTable', { ...made, bumpSeed: create.data[12] });
  expect(parseInstruction(plain(create))?.program).toBe('address-lookup-table');
  says(Tables.freezeLookupTable(given), 'freezeLookupTable', table);
  const more = { ...given, addresses: [D, E] };
  const longer = { ...table, newAddresses: [d, e] };
  says(Tables.extendLookupTable(more), 'extendLookupTable', longer);
  says(Tables.extendLookupTable({ ...more, payer: C }), 'extendLookupTable', { ...longer, ...payer });
  says(Tables.deactivateLookupTable(given), 'deactivateLookupTable', table);
  const close = Tables.closeLookupTable({ ...given, recipient: C });
  says(close, 'closeLookupTable', { ...table, recipient: c });
});

describe('an instruction has no parsed form', () => {
  it('for other programs and for token extensions', () => {
    expect(parseInstruction(plain(web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 5 })))).toBeNull();
    expect(raw(a, [], bytes())).toBeNull();
    expect(raw(TOKEN_2022, [a], bytes(26, 0))).toBeNull();
    expect(raw(LOOKUP, [a, b], bytes(u32(2), 2n ** 60n))).toBeNull();
  });

  it('when it is truncated or lacks an account', () => {
    const whole = [
      System.transfer({ fromPubkey: A, toPubkey: B, lamports: 5 }),
      System.nonceAuthorize({ noncePubkey: A, authorizedPubkey: B, newAuthorizedPubkey: C }),
      System.allocate({ accountPubkey: A, space: 1, basePubkey: C, seed: 's', programId: D }),
      spl.createTransferCheckedInstruction(A, B, C, D, 2n, 0),
      spl.createInitializeMintInstruction(A, 6, B, C),
      spl.createSetAuthorityInstruction(A, B, AuthorityType.MintTokens, C),
      spl.createInitializeAccount3Instruction(A, B, C),
      Tables.freezeLookupTable({ lookupTable: A, authority: B }),
    ];
    for (const { programId, accounts, data } of whole.map(plain)) {
      expect(raw(programId, accounts, data)).not.toBeNull();
      for (const length of data.keys()) expect(raw(programId, accounts, data.subarray(0, length))).toBeNull();
      for (const count of accounts.keys()) expect(raw(programId, accounts.slice(0, count), data)).toBeNull();
    }
  });
});

/** A token account; a field of 1 says that the optional value behind it is there. */
const tokenAccount = ({ delegate = 0, state = 1, native = 0, close = 0 } = {}): Uint8Array =>
  bytes(B, C, 1_500_000n, u32(delegate), D, state, u32(native), 2_039_280n, 7n, u32(close), E);
const mint = (initialized = 1, freeze = 0): Uint8Array =>
  bytes(u32(1), B, 2n ** 60n, 6, initialized, u32(freeze), C);

const tlv = (type: number, ...value: Parameters<typeof bytes>): Uint8Array =>
  bytes(u16(type), u16(bytes(...value).length), ...value);
/** The base layout up to the length of a token account, the account type, and extensions. */
const extended = (base: Uint8Array, accountType: number, ...extensions: Uint8Array[]): Uint8Array =>
  bytes(base, new Uint8Array(165 - base.length), accountType, ...extensions);

describe('parsed token program account', () => {
  const common = { mint: b, owner: c, state: 'initialized', isNative: false };
  const info = { ...common, tokenAmount: ui('1500000', 6, 1.5, '1.5') };
  const parsedMint = { mintAuthority: b, supply: '1152921504606846976', decimals: 6, isInitialized: true };

  it('names a delegate, a closing authority and the reserve of a native account', () => {
    const data = tokenAccount({ delegate: 1, state: 2, native: 1, close: 1 });
    const flags = { state: 'frozen', isNative: true };
    const tokenAmount = ui('1500000', 9, 0.0015, '0.0015');
    const delegated = { delegate: d, delegatedAmount: ui('7', 9, 7e-9, '0.000000007') };
    const rentExemptReserve = ui('2039280', 9, 0.00203928, '0.00203928');
    const full = { mint: b, owner: c, ...flags, tokenAmount, ...delegated, rentExemptReserve };
    const parsed = { type: 'account', info: { ...full, closeAuthority: e } };
    expect(account(TOKEN, data, 9)?.parsed).toEqual(parsed);
  });

  it('uses the decimals of its mint, and is absent without them', () => {
    const parsed = { type: 'account', info };
    expect(account(TOKEN, tokenAccount())).toEqual({ program: 'spl-token', parsed, space: 165 });
    const decimalsOf = vi.fn(() => null);
    expect(parseAccount({ owner: TOKEN, data: tokenAccount() }, { decimalsOf })).toBeNull();
    expect(decimalsOf).toHaveBeenCalledExactlyOnceWith(b);
  });

  it('is absent when uninitialized or malformed', () => {
    const oddOption = tokenAccount();
    oddOption[72] = 2;
    const short = tokenAccount().subarray(0, 164);
    const states = [tokenAccount({ state: 0 }), tokenAccount({ state: 3 })];
    const mistyped = [extended(mint(), 2), extended(tokenAccount(), 1)];
    for (const data of [...states, ...mistyped, mint(0), new Uint8Array(355), short, oddOption])
      expect(account(TOKEN, data)).toBeNull();
  });

  it('of a mint or multisig has its fields', () => {
    const parsed = { type: 'mint', info: { ...parsedMint, freezeAuthority: null } };
    expect(account(TOKEN, mint(), null)).toEqual({ program: 'spl-token', parsed, space: 82 });
    expect(account(TOKEN, mint(1, 1))?.parsed).toMatchObject({ info: { freezeAuthority: c } });
    const numbers = { numRequiredSigners: 2, numValidSigners: 3, isInitialized: true };
    const multisig = bytes(2, 3, 1, A, B, C, new Uint8Array(8 * 32));
    const expected = { type: 'multisig', info: { ...numbers, signers: [a, b, c] } };
    expect(account(TOKEN, multisig)).toEqual({ program: 'spl-token', parsed: expected, space: 355 });
  });

  it('lists the extensions of a Token-2022 account', () => {
    const listed = [tlv(Extension.ImmutableOwner), tlv(Extension.MemoTransfer, 1)];
    const data = extended(tokenAccount(), 2, ...listed, tlv(Extension.TransferFeeAmount, 9n));
    const extensions = [
      { extension: 'immutableOwner' },
      { extension: 'memoTransfer', state: { requireIncomingTransferMemos: true } },
      { extension: 'transferFeeAmount', state: { withheldAmount: 9 } },
    ];
    const parsed = { type: 'account', info: { ...info, extensions } };
    expect(account(TOKEN_2022, data)).toEqual({ program: 'spl-token-2022', parsed, space: 187 });
  });

  it('lists the extensions of a Token-2022 mint', () => {
    const text = (value: string): Uint8Array => bytes(u32(value.length), Buffer.from(value));
    const texts = bytes(text('Name'), text('SYM'), text(''), u32(1), text('k'), text('v'));
    const fee = bytes(1n, 2n, u16(300));
    const listed = [
      tlv(Extension.MetadataPointer, A, NONE),
      tlv(Extension.TransferFeeConfig, A, B, 5n, fee, fee),
      tlv(Extension.InterestBearingConfig, A, -1n, u16(65_535), 7n, u16(3)),
      tlv(Extension.TokenMetadata, NONE, B, texts),
    ];
    const readFee = { epoch: 1, maximumFee: 2, transferFeeBasisPoints: 300 };
    const fees = { withheldAmount: 5, olderTransferFee: readFee, newerTransferFee: readFee };
    const times = { initializationTimestamp: -1, lastUpdateTimestamp: 7 };
    const rates = { rateAuthority: a, preUpdateAverageRate: -1, currentRate: 3 };
    const words = { name: 'Name', symbol: 'SYM', uri: '', additionalMetadata: [['k', 'v']] };
    const authorities = { transferFeeConfigAuthority: a, withdrawWithheldAuthority: b };
    const extensions = [
      { extension: 'metadataPointer', state: { authority: a, metadataAddress: null } },
      { extension: 'transferFeeConfig', state: { ...authorities, ...fees } },
      { extension: 'interestBearingConfig', state: { ...rates, ...times } },
      { extension: 'tokenMetadata', state: { updateAuthority: null, mint: b, ...words } },
    ];
    const expected = { type: 'mint', info: { ...parsedMint, freezeAuthority: null, extensions } };
    expect(account(TOKEN_2022, extended(mint(), 1, ...listed))?.parsed).toEqual(expected);
  });

  it('names unknown or malformed extensions beside the others', () => {
    const encrypted = tlv(Extension.ConfidentialTransferAccount, 0n);
    const short = tlv(Extension.TransferFeeAmount, new Uint8Array(7));
    const known = [tlv(Extension.ImmutableOwner), tlv(Extension.MemoTransfer, 1)] as const;
    for (const unreadable of [encrypted, short, tlv(999), tlv(Extension.MemoTransfer, 1, 1)]) {
      const data = extended(tokenAccount(), 2, known[0], unreadable, known[1]);
      const extensions = [
        { extension: 'immutableOwner' },
        { extension: 'unparseableExtension' },
        { extension: 'memoTransfer', state: { requireIncomingTransferMemos: true } },
      ];
      expect(account(TOKEN_2022, data)?.parsed).toEqual({ type: 'account', info: { ...info, extensions } });
    }
  });

  it('omits the extensions when the last one is truncated', () => {
    const cut = tlv(Extension.TransferFeeAmount, 9n).subarray(0, -1);
    const data = extended(tokenAccount(), 2, tlv(Extension.ImmutableOwner), cut);
    expect(account(TOKEN_2022, data)?.parsed).toEqual({ type: 'account', info });
  });
});

describe('hostile bytes', () => {
  const owners = [a, ...Object.values(solana).filter((each) => typeof each === 'string')];
  const programs = fc.constantFrom(...owners);

  it('never make the instruction parser throw', () => {
    const codes = fc.integer({ min: 0, max: 30 });
    const rest = fc.uint8Array({ maxLength: 200 });
    // Random bytes alone would rarely meet the programs that number their instructions in four.
    const numbered = fc.tuple(codes, rest).map(([code, more]) => bytes(u32(code), more));
    const tokens = fc.tuple(codes, rest).map(([code, more]) => bytes(code, more));
    const data = fc.oneof(rest, tokens, numbered);
    const accounts = fc.array(fc.constantFrom(a, b, c), { maxLength: 9 });
    forAllOf(5_000, programs, accounts, data, (programId, named, chosen) => {
      const found = parseInstruction({ programId, accounts: named, data: chosen });
      expect(found === null || found.programId === programId).toBe(true);
    });
  });

  it('never make the account parser throw', () => {
    const lengths = fc.constantFrom(0, 1, 33, 40, 56, 80, 82, 88, 165, 166, 170, 200, 355);
    const random = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    const extensions = fc.uint8Array({ maxLength: 120, max: 30 });
    const tokens = extensions.map((rest) => bytes(tokenAccount(), 2, rest));
    const mints = extensions.map((rest) => extended(mint(), 1, rest));
    const numbers = fc.integer({ min: 0, max: 4 });
    const numbered = fc.tuple(numbers, fc.uint8Array({ maxLength: 300, max: 3 }));
    const states = numbered.map(([number, rest]) => bytes(u32(number), rest));
    const data = fc.oneof(random, tokens, mints, states);
    const decimals = fc.constantFrom(null, 0, 9, 255);
    forAllOf(5_000, programs, decimals, data, (owner, known, chosen) => {
      const found = account(owner, chosen, known);
      expect(found === null || found.space === chosen.length).toBe(true);
    });
  });

  it('are parsed at any offset of a buffer', () => {
    const whole = bytes([9, 9, 9], tokenAccount(), [9]);
    expect(account(TOKEN, whole.subarray(3, 168))).toEqual(account(TOKEN, tokenAccount()));
  });
});
