import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SYSTEM_PROGRAM, UPGRADEABLE_LOADER, BPF_LOADER } from '../../src/chain/solana/addresses.js';
import { programDerivedAddress } from '../../src/chain/solana/addresses.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import {
  associatedTokenAddress,
  rentExemptLamports,
  tokenAccount,
} from '../../src/chain/solana/token-accounts.js';
import { accountJson } from '../../src/runtime/accounts/account-json.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { LiteSvmEngine } from '../../src/chain/engines/litesvm.js';
import { KeyRing } from '../../src/world/keys.js';
import { errorOfCall, failingProgram, failsWith } from '../support/programs.js';
import { MINTS, OF_SOLANA } from '../support/solana-addresses.js';
import { ENGINES, agentWith, world, worldWithAgent, worldWithControl } from '../support/world.js';
import { valueOf } from '../api/rpc/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const keys = new KeyRing('accounts');
const owner = keys.derive('owner').address;
const place = keys.derive('place').address;
const program = keys.derive('program').address;
const payer = keys.derive('payer');

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

async function dataAt(sim: Simulator, address = place): Promise<string | null> {
  const account = await sim.chain.getAccount(address);
  return account === null ? null : Buffer.from(account.data).toString('base64');
}

/** Calls the program; its custom error, or null when it succeeds. */
async function call(sim: Simulator, note: string): Promise<unknown> {
  if ((await sim.chain.getAccount(payer.address)) === null) await sim.faucet(payer.address, 1, 'SOL');
  return errorOfCall(sim.chain, program, { payer, note });
}

async function supplyOf(sim: Simulator): Promise<bigint> {
  const mint = await sim.chain.getAccount(sim.facts.usdcMint);
  return Buffer.from(mint?.data ?? []).readBigUInt64LE(36);
}

it.each([0n, 1n, 2n, 3n, 4n])(
  'a program runs from the start also after a world that ended in slot %s',
  async (slot) => {
    for (const machine of [new LiteSvmEngine(), new LiteSvmEngine()]) {
      machine.setClock({ slot, epoch: 0n, unixTimestamp: 1_900_000_000n });
      machine.release();
    }
    const address = keys.derive(`after ${slot}`).address;
    const sim = await world({ engine: 'litesvm', programs: [{ address, file: memoProgram() }] });
    await sim.faucet(payer.address, 1, 'SOL');
    expect(await errorOfCall(sim.chain, address, { payer, note: 'one' })).toBeNull();
  },
);

describe.each(ENGINES)('accounts that are written directly on %s', (engine) => {
  const other = engine === 'bankrun' ? 'litesvm' : 'bankrun';

  it('of a folder are written as far as they can be; each that cannot is a warning with its file', async () => {
    const folder = temporaryFolder();
    const file = (name: string, content: unknown) =>
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    const upgradeable = Buffer.from([2, 0, 0, 0, ...Buffer.alloc(32, 7)]);
    const stakeConfig = 'StakeConfig11111111111111111111111111111111';
    file('good.json', changed(place, { rentEpoch: 361 }));
    file('exempt.json', changed(payer.address, { owner: SYSTEM_PROGRAM, data: ['', 'base64'] }));
    file('stake-config.json', plain(stakeConfig));
    file(
      'alone.json',
      changed(program, { data: base64(upgradeable), owner: UPGRADEABLE_LOADER, executable: true }),
    );
    file('broken.json', '{"pubkey":');
    file('clock.json', plain('SysvarC1ock11111111111111111111111111111111'));
    file('empty.json', plain(owner, 'AQID', 0));
    const script = keys.derive('script').address;
    file('script.json', changed(script, { executable: true }));
    const warnings: string[] = [];
    const sim = await world(
      { engine, accounts: [folder] },
      { onTrouble: (message) => warnings.push(message.slice(folder.length + 1)) },
    );
    expect(warnings).toEqual([
      expect.stringMatching(/^broken\.json: is not valid JSON/),
      expect.stringMatching(/^clock\.json: .* belongs to Solana/),
      expect.stringMatching(/^empty\.json: .* has 0 lamports/),
      expect.stringMatching(
        /^alone\.json: .* is an upgradeable program whose data, .* is missing.* it cannot run/,
      ),
      expect.stringMatching(/^script\.json: .* is not a program loader/),
    ]);
    const shown = (address: string) =>
      valueOf<{ rentEpoch: number; executable: boolean } | null>(sim, 'getAccountInfo', address, {
        encoding: 'base64',
      });
    expect(await shown(place)).toMatchObject({ rentEpoch: 361, lamports: 5_000_000, space: 3 });
    expect((await sim.accounts.get(place)).account).toMatchObject({ rentEpoch: 361 });
    expect(await shown(stakeConfig)).toMatchObject({ data: ['AQID', 'base64'] });
    expect(await shown(program)).toMatchObject({ executable: true, owner: UPGRADEABLE_LOADER, space: 36 });
    expect(await shown(script)).toBeNull();
    expect(await shown(payer.address)).toMatchObject({ rentEpoch: 2 ** 64 });
    expect(await call(sim, 'one')).not.toBeNull();
    expect(await sim.invariants()).toEqual([]);
  });

  it('follow snapshots, forks and states, also to the other engine', async () => {
    const sim = await world({ engine });
    const before = await sim.snapshot();
    await sim.accounts.set([plain(place)]);
    await sim.accounts.deploy(program, failingProgram(5));
    const after = await sim.snapshot();
    expect(await call(sim, 'one')).toEqual(failsWith(5));
    await sim.accounts.set([plain(place, 'BBBB')]);
    await sim.accounts.deploy(program, memoProgram());
    expect(await call(sim, 'two')).toBeNull();

    const fork = await sim.fork(after);
    onTestFinished(() => fork.close());
    expect([await dataAt(fork), await call(fork, 'three')]).toEqual(['AQID', failsWith(5)]);
    const state = await sim.exportState();
    const elsewhere = await createSimulator({ state, engine: other, time: 'frozen' });
    onTestFinished(() => elsewhere.close());
    expect([await dataAt(elsewhere), await call(elsewhere, 'four')]).toEqual(['BBBB', null]);

    await sim.revert(after);
    expect([await dataAt(sim), await call(sim, 'five')]).toEqual(['AQID', failsWith(5)]);
    await sim.revert(before);
    expect([await dataAt(sim), await sim.chain.getAccount(program)]).toEqual([null, null]);
    expect(await call(sim, 'six')).toMatch(/ProgramAccountNotFound|InvalidProgramForExecution/);
    await sim.importState(state);
    expect([await dataAt(sim), await call(sim, 'seven')]).toEqual(['BBBB', null]);
    for (const each of [sim, fork, elsewhere]) expect(await each.invariants()).toEqual([]);
  });

  it('leave the books equal to the chain while the bank pays', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, sol: 2, engine });
    const payee = keys.derive('payee').address;
    await Promise.all([
      agent.withdraw({ amount: 5, token: 'USDC' }),
      sim.accounts.deploy(program, failingProgram(5)),
      agent.withdraw({ amount: 1, token: 'SOL' }),
      sim.accounts.set([plain(place), plain(payee)]),
      agent.withdraw({ amount: 6, token: 'USDC' }),
      sim.accounts.deploy(program, failingProgram(6)),
      agent.withdraw({ amount: 7, token: 'USDC' }),
    ]);
    expect(await call(sim, 'after')).toEqual(failsWith(6));
    await agent.withdraw({ amount: 8, token: 'USDC' });
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
    ];
    const before = await sim.dump();
    for (const address of refused) {
      await expect(sim.accounts.set([plain(place), plain(address)]), address).rejects.toThrow(RangeError);
      await expect(sim.accounts.set([{ pubkey: address, account: null }]), address).rejects.toThrow(
        RangeError,
      );
      await expect(sim.accounts.deploy(address, memoProgram()), address).rejects.toThrow(RangeError);
    }
    expect(await sim.dump()).toBe(before);
  });

  it('are refused when they cannot be what they say', async () => {
    const sim = await world({ engine });
    const executable = (data: Uint8Array, of: string) =>
      changed(program, { data: base64(data), owner: of, executable: true });
    const alone = new Uint8Array(36);
    alone.set([2, 0, 0, 0, 7]);
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
      ['not a program loader', [executable(memoProgram(), owner)]],
      ['no ELF file', [executable(new Uint8Array(5_000), BPF_LOADER)]],
      ['is missing', [executable(alone, UPGRADEABLE_LOADER)]],
      ['not a program', [executable(memoProgram(), UPGRADEABLE_LOADER)]],
    ];
    const before = await sim.dump();
    for (const [reason, accounts] of cases)
      await expect(sim.accounts.set(accounts as never), reason).rejects.toThrow(reason);
    await expect(sim.accounts.deploy(program, new Uint8Array(5_000))).rejects.toThrow('not the ELF file');
    const large = Buffer.concat([memoProgram(), Buffer.alloc(10 * 1_024 * 1_024)]);
    await expect(sim.accounts.deploy(program, large)).rejects.toThrow('more than 10485715 bytes');
    expect(await sim.dump()).toBe(before);
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

  it('are cloned from another simulator, an upgradeable program with its data', async () => {
    const source = await world({ engine: other, accounts: [plain(place)] });
    await source.accounts.deploy(program, failingProgram(9), owner);
    const { url } = await source.listenRpc();
    const sim = await world({ engine, clone: { url, accounts: [place], programs: [program] } });
    expect([await dataAt(sim), await call(sim, 'one')]).toEqual(['AQID', failsWith(9)]);
    const fails = (clone: object) => createSimulator({ engine, time: 'frozen', clone: { url, ...clone } });
    await expect(fails({ accounts: [owner] })).rejects.toThrow('has no account');
    await expect(fails({ programs: [place] })).rejects.toThrow('not an upgradeable program');
    await expect(fails({ accounts: [program] })).rejects.toThrow('--clone-upgradeable-program');
  });

  it('may be programs of several MiB over HTTP, whose data are exempt from rent', async () => {
    const { sim, control } = await worldWithControl({ engine });
    const file = Buffer.concat([failingProgram(4), Buffer.alloc(2 * 1_024 * 1_024)]).toString('base64');
    await control.do('deployProgram', { body: { address: program, file } });
    expect(await call(sim, 'one')).toEqual(failsWith(4));
    const data = programDerivedAddress([program], UPGRADEABLE_LOADER);
    expect((await sim.chain.getAccount(data))?.lamports).toBe(
      rentExemptLamports(45 + failingProgram(4).length + 2 * 1_024 * 1_024),
    );
  });
});
