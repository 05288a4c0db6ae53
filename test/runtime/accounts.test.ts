import { describe, expect, it, onTestFinished } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import { BPF_LOADER, UPGRADEABLE_LOADER, programDerivedAddress } from '../../src/chain/solana/addresses.js';
import { associatedTokenAddress, tokenAccount } from '../../src/chain/solana/token-accounts.js';
import { accountJson } from '../../src/runtime/accounts/account-json.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { KeyRing } from '../../src/world/keys.js';
import { dumpOf } from '../support/dump.js';
import { MINTS, OF_SOLANA } from '../support/solana-addresses.js';
import { ENGINES, agentWith, world } from '../support/world.js';
import { valueOf } from '../api/rpc/support.js';

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const keys = new KeyRing('accounts');
const owner = keys.derive('owner').address;
const place = keys.derive('place').address;
const other = keys.derive('other').address;

const base64 = (bytes: Uint8Array): [string, string] => [Buffer.from(bytes).toString('base64'), 'base64'];

/** An account as JSON, and one that differs from it in some members. */
const plain = (pubkey: string, text = 'AQID', lamports = 5_000_000) => ({
  pubkey,
  account: { lamports, data: [text, 'base64'] as [string, string], owner, executable: false },
});
const changed = (pubkey: string, members: object) => ({
  pubkey,
  account: { ...plain(pubkey).account, ...members },
});

async function dataAt(sim: Simulator): Promise<string | null> {
  const account = await sim.chain.getAccount(place);
  return account === null ? null : Buffer.from(account.data).toString('base64');
}

async function supplyOf(sim: Simulator): Promise<bigint> {
  const mint = await sim.chain.getAccount(sim.facts.usdcMint);
  return Buffer.from(mint?.data ?? []).readBigUInt64LE(36);
}

describe.each(ENGINES)('accounts that are written directly on %s', (engine) => {
  it('are shown as they were written, with the epoch of their rent', async () => {
    const sim = await world({ engine });
    await sim.accounts.set([changed(place, { rentEpoch: 361 }), plain(other)]);
    const shown = (address: string) =>
      valueOf<{ rentEpoch: number } | null>(sim, 'getAccountInfo', address, { encoding: 'base64' });
    expect(await shown(place)).toMatchObject({ rentEpoch: 361, lamports: 5_000_000, space: 3 });
    expect((await sim.accounts.get(place)).account).toMatchObject({ rentEpoch: 361 });
    expect(await shown(other)).toMatchObject({ rentEpoch: 2 ** 64 });
    expect(await sim.invariants()).toEqual([]);
  });

  it('follow snapshots, forks and states, also to the other engine', async () => {
    const sim = await world({ engine });
    const before = await sim.snapshot();
    await sim.accounts.set([plain(place)]);
    const after = await sim.snapshot();
    await sim.accounts.set([plain(place, 'BBBB')]);

    const fork = await sim.fork(after);
    onTestFinished(() => fork.close());
    expect(await dataAt(fork)).toBe('AQID');
    const state = await sim.exportState();
    const elsewhere = await world({ state, engine: engine === 'bankrun' ? 'litesvm' : 'bankrun' });
    expect(await dataAt(elsewhere)).toBe('BBBB');

    await sim.revert(after);
    expect(await dataAt(sim)).toBe('AQID');
    await sim.revert(before);
    expect(await dataAt(sim)).toBeNull();
    await sim.importState(state);
    expect(await dataAt(sim)).toBe('BBBB');
    for (const each of [sim, fork, elsewhere]) expect(await each.invariants()).toEqual([]);
  });

  it('leave the books equal to the chain while the bank pays', async () => {
    const sim = await world({ engine });
    const agent = await agentWith(sim, 0, { usdc: 100, sol: 2 });
    await Promise.all([
      agent.withdraw({ amount: 5, token: 'USDC' }),
      agent.withdraw({ amount: 1, token: 'SOL' }),
      sim.accounts.set([plain(place), plain(other)]),
      agent.withdraw({ amount: 6, token: 'USDC' }),
    ]);
    await agent.withdraw({ amount: 8, token: 'USDC' });
    expect(await sim.invariants()).toEqual([]);
  });

  it('change the supply of USDC with the tokens that they hold, which can be spent', async () => {
    const sim = await world({ engine });
    const before = await supplyOf(sim);
    const [wallet] = sim.wallets;
    const mint = sim.facts.usdcMint;
    const ata = associatedTokenAddress(wallet?.address ?? '', mint);
    const set = (address: string, amount: bigint, of = wallet?.address ?? '') =>
      sim.accounts.set([accountJson(address, tokenAccount(mint, of, amount))]);
    await set(ata, 7_000_000n);
    expect(await supplyOf(sim)).toBe(before - 100_000_000_000n + 7_000_000n);
    await sim.accounts.set([{ pubkey: ata, account: null }]);
    expect(await supplyOf(sim)).toBe(before - 100_000_000_000n);
    await expect(set(ata, 2n ** 64n - 1n)).rejects.toThrow(/supply/);
    // Tokens of the treasury outside of its own account are not the bank's: anybody can create such an account.
    await set(place, 5n, sim.facts.treasury);
    await set(ata, 50_000_000n);
    const agent = await agentWith(sim, 0, { usdc: 20 });
    await agent.withdraw({ amount: 20, token: 'USDC' });
    expect(await sim.invariants()).toEqual([]);
    await sim.setBalance(wallet?.address ?? '', 0, 'USDC');
    expect(await supplyOf(sim)).toBe(before - 100_000_000_000n + 5n);
  });

  it('are refused where they are of Solana or of the bank, and nothing changes', async () => {
    const sim = await world({ engine });
    await agentWith(sim, 0, { usdc: 1 });
    const { treasury, protocol, facilitator } = sim.bank.addresses;
    const collection = sim.bank.addresses.collection(sim.wallets[0]?.address ?? '').address;
    const faucet = new KeyRing(sim.config.seed).derive('faucet').address;
    const owners = [treasury.address, protocol.address, facilitator.address, collection, faucet];
    const ownProgram = await sim.chain.getAccount(TOKEN_2022);
    expect(ownProgram?.owner).toBe(UPGRADEABLE_LOADER);
    const refused = [
      ...owners,
      ...owners.flatMap((each) => MINTS.slice(1).map((mint) => associatedTokenAddress(each, mint))),
      ...MINTS,
      ...OF_SOLANA,
      TOKEN_2022,
      programDerivedAddress([TOKEN_2022], UPGRADEABLE_LOADER),
      'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
      'StakeConfig11111111111111111111111111111111',
    ];
    const before = await dumpOf(sim);
    for (const address of refused) {
      await expect(sim.accounts.set([plain(place), plain(address)]), address).rejects.toThrow(RangeError);
      await expect(sim.accounts.set([{ pubkey: address, account: null }]), address).rejects.toThrow(
        RangeError,
      );
    }
    expect(await dumpOf(sim)).toBe(before);
  });

  it('are refused when they cannot be what they say', async () => {
    const sim = await world({ engine });
    const programData = new Uint8Array(50);
    programData.set([3, 0, 0, 0]);
    const program = new Uint8Array(36);
    program.set([2, 0, 0, 0]);
    const cases: [string, unknown[]][] = [
      ['0 lamports', [plain(place, 'AQID', 0)]],
      ['given twice', [plain(place), plain(place)]],
      ['base64', [plain(place, 'not base64')]],
      ['lamports', [plain(place, 'AQID', -1)]],
      ['lamports', [plain(place, 'AQID', 1.5)]],
      ['lamports', [plain(place, 'AQID', 2 ** 64)]],
      ['address', [plain('nobody')]],
      ['owner', [changed(place, { owner: '' })]],
      ['write it as base64', [changed(place, { data: ['AQID', 'jsonParsed'] })]],
      ['too long for base58', [changed(place, { data: '1'.repeat(5_000) })]],
      ['more than 10485760 bytes', [plain(place, Buffer.alloc(10 * 1_024 * 1_024 + 1).toString('base64'))]],
      ['deployed by transactions', [changed(place, { executable: true })]],
      ['deployed by transactions', [changed(place, { owner: BPF_LOADER })]],
      ['deployed by transactions', [changed(place, { owner: UPGRADEABLE_LOADER, data: base64(program) })]],
      [
        'deployed by transactions',
        [changed(place, { owner: UPGRADEABLE_LOADER, data: base64(programData) })],
      ],
    ];
    const before = await dumpOf(sim);
    for (const [reason, accounts] of cases)
      await expect(sim.accounts.set(accounts as never), reason).rejects.toThrow(reason);
    expect(await dumpOf(sim)).toBe(before);
  });

  it('may be below the minimum of rent, as those of solana-test-validator, and as large as Agave allows', async () => {
    const sim = await world({ engine });
    const large = plain(place, Buffer.alloc(10 * 1_024 * 1_024, 7).toString('base64'), 1);
    await sim.accounts.set([large]);
    expect((await sim.chain.getAccount(place))?.data.length).toBe(10 * 1_024 * 1_024);
    await sim.accounts.set([changed(place, { lamports: `${2n ** 64n - 1n}` })]);
    expect((await sim.accounts.get(place)).account?.lamports).toBe(`${2n ** 64n - 1n}`);
    const agent = await agentWith(sim, 0, { sol: 1 });
    await agent.withdraw({ amount: 1, token: 'SOL' });
    expect(await sim.invariants()).toEqual([]);
  });

  it('are written and read over HTTP', async () => {
    const sim = await world({ engine });
    const { origin } = await sim.listen();
    const control = new ControlClient({ origin });
    expect(await control.do('account', { id: place })).toEqual({ pubkey: place, account: null });
    await control.do('setAccounts', { body: { accounts: [plain(place)] } });
    expect(await control.do('account', { id: place })).toEqual(changed(place, { space: 3 }));
  });
});
