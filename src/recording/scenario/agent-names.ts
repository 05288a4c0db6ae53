import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import { GENESIS_FUNDS } from '../../chain/genesis.js';
import type { Recording, LineOf } from '../schema.js';
import type { AgentFile } from '../../testing/scenario/file/schema.js';
import { tokenUnits } from '../../core/domain/money.js';

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'] as const;

export type Beginning = Pick<AgentFile, 'usdc' | 'sol' | 'wallet'>;

const DEV: Beginning = {
  usdc: tokenUnits('USDC', GENESIS_FUNDS.devWallet.usdcBase),
  sol: tokenUnits('SOL', GENESIS_FUNDS.devWallet.lamports),
};

/** The agents of a scenario: every actor of a recording, with a readable name. */
export class AgentNames {
  /** Agents by the names of recorded wallets, without the bank's own. */
  readonly ofWallets = new Map<string, string>();
  /** The names of addresses in the scenario: `alice`, or `treasury`. */
  readonly ofAddresses = new Map<string, string>();
  /** What each agent begins with. */
  readonly agents = new Map<string, Beginning>();
  /** The owners of USDC accounts. */
  readonly owners = new Map<string, string>();
  readonly #usdcMint: string;

  /** `past` are the world's wallets at the start of the recording. */
  constructor({ header, lines }: Recording, past: ReadonlyMap<string, Beginning>) {
    const { treasury, usdcMint } = header.facts;
    this.#usdcMint = usdcMint;
    this.ofAddresses.set(treasury, 'treasury');
    this.learn(treasury);
    // The bank's own wallets have the names of their keys.
    for (const { line } of lines)
      if (line.kind === 'wallet' && line.key !== line.name) this.#add(line, past.get(line.address));
  }

  /** Registers an address whose token account may occur. */
  learn(address: string): void {
    this.owners.set(associatedTokenAddress(address, this.#usdcMint), address);
  }

  #add({ name, address, key }: LineOf<'wallet'>, past: Beginning | undefined): void {
    const number = this.agents.size;
    const agent = NAMES[number] ?? `agent${number + 1}`;
    this.ofWallets.set(name, agent);
    this.ofAddresses.set(address, agent);
    const isDev = key?.startsWith('wallet/made/') === false;
    this.agents.set(agent, past ?? (isDev ? DEV : { usdc: 0, sol: 0 }));
    this.learn(address);
  }
}
