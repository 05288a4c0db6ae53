import type { Account } from '../../chain/engine.js';
import { USDC_MINTS, memoPrograms } from '../../chain/genesis.js';
import { mintsAfter } from '../../chain/set-balance.js';
import { isOfProgram, programDataOf } from '../../chain/programs/deployed.js';
import { BPF_LOADER } from '../../chain/solana/addresses.js';
import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import type { EmbeddedChain } from '../embedded-chain.js';
import { inProcess } from '../refusals.js';
import type { WorldParts } from '../world-parts.js';
import { type AccountInput, type AddressedAccount, accountJson, addressedAccount } from './account-json.js';
import { isReserved } from './account-rules.js';
import { issueText } from '../../core/json.js';

const MINTS: readonly string[] = Object.values(USDC_MINTS);
const MEMO_PROGRAMS = memoPrograms();

type Parts = Pick<WorldParts, 'bank' | 'scheduler' | 'embedded' | 'whenDurable'>;

/** Reads any account of the chain, and writes any account that is not a program and belongs neither to Solana nor to the bank. */
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
   * Writes accounts directly, all or none, bypassing transaction rules; null removes one. Throws RangeError for programs, and for accounts of
   * Solana and of the bank.
   */
  async set(accounts: readonly AccountInput[]): Promise<void> {
    await this.write(accounts.map(parsed));
  }

  /** @internal Writes parsed accounts. */
  async write(accounts: readonly AddressedAccount[]): Promise<void> {
    const { chain } = this.#embedded;
    const wanted = new Map<string, Account | null>();
    for (const { pubkey, account } of accounts) {
      if (wanted.has(pubkey)) throw new RangeError(`${pubkey} is given twice`);
      wanted.set(pubkey, account);
    }
    await this.#parts.scheduler.runExclusiveAfterOverdue(async () => {
      await this.#check(wanted);
      await chain.setAccounts(await this.#withMints(wanted));
    });
    await this.#parts.whenDurable();
  }

  /** These accounts with the mints that change with them. Throws RangeError. */
  async #withMints(wanted: ReadonlyMap<string, Account | null>): Promise<Map<string, Account | null>> {
    const { chain } = this.#embedded;
    const before = new Map<string, Account | null>();
    for (const address of [...wanted.keys(), ...MINTS]) before.set(address, await chain.getAccount(address));
    const changed = [...wanted].map(([address, post]) => ({ pre: before.get(address) ?? null, post }));
    return new Map([...wanted, ...mintsAfter(changed, (mint) => before.get(mint) ?? null)]);
  }

  /** Throws RangeError for an address that belongs to Solana, to the world or to the bank, for a program, and for an account without lamports. */
  async #check(wanted: ReadonlyMap<string, Account | null>): Promise<void> {
    const { bank } = this.#parts;
    const { chain, faucetAddress } = this.#embedded;
    const { treasury, protocol, facilitator } = bank.addresses;
    const collections = bank.books.state.collections.keys();
    const owners = [treasury.address, protocol.address, facilitator.address, faucetAddress, ...collections];
    const own = new Set(
      owners.flatMap((owner) => [owner, ...MINTS.map((mint) => associatedTokenAddress(owner, mint))]),
    );
    for (const [address, account] of wanted) {
      if (account?.lamports === 0n)
        throw new RangeError(
          `${address} has 0 lamports, and no such account exists; null removes an account`,
        );
      if (own.has(address) || MINTS.includes(address))
        throw new RangeError(
          `${address} cannot be set: it belongs to the bank, and its books would no longer match the chain`,
        );
      if (isReserved(address) || MEMO_PROGRAMS.has(address) || (await chain.isOfEngine(address)))
        throw new RangeError(`${address} cannot be set: it belongs to Solana and exists in every world`);
      if (isProgram(account) || isProgram(await chain.getAccount(address)))
        throw new RangeError(`${address} cannot be set: a program is deployed by transactions`);
    }
  }

  get #embedded(): EmbeddedChain {
    return inProcess(this.#parts.embedded, 'account');
  }
}

/** Whether an engine may run an account, or compile a program from it; bankrun runs it without the executable flag. */
function isProgram(account: Account | null): boolean {
  if (account === null) return false;
  return isOfProgram(account) || programDataOf(account) !== null || account.owner === BPF_LOADER;
}

/** Throws RangeError. */
function parsed(given: AccountInput): AddressedAccount {
  const result = addressedAccount.safeParse(given);
  if (result.success) return result.data;
  throw new RangeError(issueText(result.error, 'account'));
}
