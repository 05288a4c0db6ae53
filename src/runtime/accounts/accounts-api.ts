import type { Account } from '../../chain/engine.js';
import { USDC_MINTS, memoPrograms } from '../../chain/genesis.js';
import { WrongPrediction } from '../../chain/prediction.js';
import { mintsAfter } from '../../chain/set-balance.js';
import {
  PROGRAM_DATA_HEADER_BYTES,
  deployedAtGenesis,
  deployedProgram,
  isProgramFile,
  programDataOf,
} from '../../chain/programs/deployed.js';
import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import type { EmbeddedChain } from '../embedded-chain.js';
import { inProcess } from '../refusals.js';
import type { WorldParts } from '../world-parts.js';
import {
  type AccountInput,
  type AddressedAccount,
  MAX_ACCOUNT_BYTES,
  type ProgramToDeploy,
  accountJson,
  addressedAccount,
} from './account-json.js';
import { STAKE_CONFIG } from '../../chain/solana/addresses.js';
import { isReserved, lacksData, notAProgram } from './account-rules.js';
import { issueText } from '../../core/json.js';

const MINTS: readonly string[] = Object.values(USDC_MINTS);
const MAX_PROGRAM_BYTES = MAX_ACCOUNT_BYTES - PROGRAM_DATA_HEADER_BYTES;
const MEMO_PROGRAMS = memoPrograms();

type Parts = Pick<WorldParts, 'bank' | 'scheduler' | 'embedded' | 'whenDurable'>;

/** Called with the reason why an account cannot be written as it is; returns true to write the others nevertheless. */
export type LeaveOut = (address: string, reason: string) => boolean;

const NONE_LEFT_OUT: LeaveOut = () => false;

interface WriteOptions {
  readonly isGenesis?: boolean;
  readonly leaveOut?: LeaveOut;
}

/** The accounts of a program to deploy. Throws RangeError for a file that is not a program. */
export function accountsOfProgram({ address, file, upgradeAuthority }: ProgramToDeploy): AddressedAccount[] {
  if (file.length > MAX_PROGRAM_BYTES)
    throw new RangeError(`the file for ${address} has more than ${MAX_PROGRAM_BYTES} bytes`);
  if (!isProgramFile(file))
    throw new RangeError(`the file for ${address} is not the ELF file of a Solana program`);
  return [...deployedProgram(address, file, upgradeAuthority)].map(([pubkey, account]) => ({
    pubkey,
    account,
  }));
}

/** Reads any account of the chain, and writes any account that belongs neither to Solana nor to the bank. */
export class AccountsApi {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The account at an address as JSON; `account` is null for an absent account. Throws RangeError, ClusterLimit. */
  async get(address: string) {
    const { pubkey } = parsed({ pubkey: address, account: null });
    return accountJson(pubkey, await this.#embedded.chain.getAccount(pubkey));
  }

  /**
   * Writes accounts directly, all or none, bypassing transaction rules; null removes one. Throws RangeError for accounts of Solana and of
   * the bank, and for programs that cannot run.
   */
  async set(accounts: readonly AccountInput[]): Promise<void> {
    await this.write(accounts.map(parsed));
  }

  /** Deploys a program; its address needs no key. Throws RangeError for a file that is not a program, and as `set` does. */
  async deploy(address: string, file: Uint8Array, upgradeAuthority: string | null = null): Promise<void> {
    for (const pubkey of [address, ...(upgradeAuthority === null ? [] : [upgradeAuthority])])
      parsed({ pubkey, account: null });
    await this.write(accountsOfProgram({ address, file, upgradeAuthority }));
  }

  /**
   * @internal Writes parsed accounts; with `isGenesis` in slot 0. If `leaveOut` returns true for an account, it is left out when the engine refuses it; a program without its data is written but cannot run.
   */
  async write(
    accounts: readonly AddressedAccount[],
    { isGenesis = false, leaveOut = NONE_LEFT_OUT }: WriteOptions = {},
  ): Promise<void> {
    const { chain } = this.#embedded;
    const wanted = new Map<string, Account | null>();
    for (const { pubkey, account } of accounts) {
      if (wanted.has(pubkey)) throw new RangeError(`${pubkey} is given twice`);
      wanted.set(pubkey, account === null ? null : deployedAtGenesis(account));
    }
    await this.#parts.scheduler.runExclusiveAfterOverdue(async () => {
      await this.#checkAddresses(wanted, leaveOut);
      const changes = await this.#changes(wanted, leaveOut);
      const put = (some: ReadonlyMap<string, Account | null>) =>
        isGenesis ? chain.setGenesis(some) : chain.setAccounts(some);
      const programs =
        leaveOut === NONE_LEFT_OUT ? [] : [...changes].filter(([, account]) => account?.executable);
      for (const [address] of programs) changes.delete(address);
      await put(changes).catch((error: unknown) => {
        throw this.#refusal(error, 'the accounts');
      });
      // Engines compile programs as they are written, and may refuse one that begins as a program does.
      for (const [address, account] of programs)
        await put(new Map([[address, account]])).catch((error: unknown) => {
          const refusal = this.#refusal(error, address);
          if (!leaveOut(address, `${refusal.message}; it is left out`)) throw refusal;
        });
    });
    await this.#parts.whenDurable();
  }

  #refusal(error: unknown, what: string): Error {
    if (error instanceof WrongPrediction) return error;
    const { name } = this.#embedded.chain.engine;
    return new RangeError(`the engine ${name} refuses ${what}: ${(error as Error).message}`);
  }

  /** These accounts, checked, with the mints that change with them. Throws RangeError. */
  async #changes(
    wanted: Map<string, Account | null>,
    leaveOut: LeaveOut,
  ): Promise<Map<string, Account | null>> {
    const { chain } = this.#embedded;
    const before = new Map<string, Account | null>();
    const after = (address: string) => (wanted.has(address) ? wanted : before).get(address) ?? null;
    const dataAddresses = [...wanted.values()].flatMap(
      (account) => (account && programDataOf(account)) ?? [],
    );
    for (const address of [...wanted.keys(), ...dataAddresses, ...MINTS])
      if (!before.has(address)) before.set(address, await chain.getAccount(address));
    for (const [address, account] of wanted) {
      const why = account === null ? null : notAProgram(account, after);
      if (account === null || why === null) continue;
      const isKept = lacksData(account, after);
      const reason = `${address} ${why}`;
      if (!leaveOut(address, `${reason}; it ${isKept ? 'cannot run' : 'is left out'}`))
        throw new RangeError(reason);
      if (!isKept) wanted.delete(address);
    }
    const changed = [...wanted].map(([address, post]) => ({ pre: before.get(address) ?? null, post }));
    return new Map([...wanted, ...mintsAfter(changed, (mint) => before.get(mint) ?? null)]);
  }

  /** Throws RangeError for an address that belongs to Solana, to the world or to the bank, and for an account without lamports. */
  async #checkAddresses(wanted: Map<string, Account | null>, leaveOut: LeaveOut): Promise<void> {
    const { bank } = this.#parts;
    const { chain, faucetAddress } = this.#embedded;
    const { treasury, protocol, facilitator } = bank.addresses;
    const collections = bank.books.state.collections.keys();
    const owners = [treasury.address, protocol.address, facilitator.address, faucetAddress, ...collections];
    const own = new Set(
      owners.flatMap((owner) => [owner, ...MINTS.map((mint) => associatedTokenAddress(owner, mint))]),
    );
    const isOfSolana = async (address: string) =>
      isReserved(address) ||
      MEMO_PROGRAMS.has(address) ||
      (address !== STAKE_CONFIG && (await chain.isOfEngine(address)));
    for (const [address, account] of wanted) {
      let reason: string | null = null;
      if (account?.lamports === 0n)
        reason = `${address} has 0 lamports, and no such account exists; null removes an account`;
      else if (own.has(address) || MINTS.includes(address))
        reason = `${address} cannot be set: it belongs to the bank, and its books would no longer match the chain`;
      else if (await isOfSolana(address))
        reason = `${address} cannot be set: it belongs to Solana and exists in every world`;
      if (reason === null) continue;
      if (!leaveOut(address, `${reason}; it is left out`)) throw new RangeError(reason);
      wanted.delete(address);
    }
  }

  get #embedded(): EmbeddedChain {
    return inProcess(this.#parts.embedded, 'account');
  }
}

/** Throws RangeError. */
function parsed(given: AccountInput): AddressedAccount {
  const result = addressedAccount.safeParse(given);
  if (result.success) return result.data;
  throw new RangeError(issueText(result.error, 'account'));
}
