import { associatedTokenAddress } from '../../../chain/tokens.js';
import { GENESIS_FUNDS } from '../../../chain/genesis.js';
import type { Recording, WalletLine } from '../../../api/recorder/format.js';
import { HOUSE_KEYS } from '../../../api/recorder/wallets.js';
import { tokenUnits } from '../../../core/domain/money.js';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'] as const;
const HOUSE: ReadonlySet<string> = new Set(HOUSE_KEYS);

/** What an agent of a scenario begins with. */
interface Beginning {
  readonly usdc: number;
  readonly sol: number;
}

const DEV: Beginning = {
  usdc: tokenUnits('USDC', GENESIS_FUNDS.devWallet.usdcBase),
  sol: tokenUnits('SOL', GENESIS_FUNDS.devWallet.lamports),
};

/** The agents of a scenario: everybody who acts in a recording, by a name for people. */
export class AgentNames {
  readonly #byWallet = new Map<string, string>();
  readonly #byAddress = new Map<string, string>();
  readonly #begins = new Map<string, Beginning>();
  /** Owners by their token accounts. */
  readonly #owners = new Map<string, string>();
  readonly #usdcMint: string;

  constructor({ header, lines }: Recording) {
    const { treasury, usdcMint } = header.facts;
    this.#usdcMint = usdcMint;
    this.#byAddress.set(treasury, 'treasury');
    this.learn(treasury);
    for (const { line } of lines) if (line.kind === 'wallet' && !HOUSE.has(line.name)) this.#add(line);
  }

  /** The agent that a wallet of the recording is; undefined for the bank's own. */
  of(wallet: string | undefined): string | undefined {
    return wallet === undefined ? undefined : this.#byWallet.get(wallet);
  }

  /** What stands for an address in a scenario: `alice`, or `treasury`. */
  at(address: string): string | undefined {
    return this.#byAddress.get(address);
  }

  /** An address whose token account may come up. */
  learn(address: string): void {
    this.#owners.set(associatedTokenAddress(address, this.#usdcMint), address);
  }

  /** Whose account of USDC it is; undefined for nobody's that is known. */
  ownerOf(account: string): string | undefined {
    return this.#owners.get(account);
  }

  /** All agents with what they begin with. */
  agents(): ReadonlyMap<string, Beginning> {
    return this.#begins;
  }

  #add({ name, address, key }: WalletLine): void {
    const number = this.#begins.size;
    const agent = NAMES[number] ?? `agent${number + 1}`;
    this.#byWallet.set(name, agent);
    this.#byAddress.set(address, agent);
    this.#begins.set(agent, key?.startsWith('wallet/made/') === false ? DEV : { usdc: 0, sol: 0 });
    this.learn(address);
  }
}
