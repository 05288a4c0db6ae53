import { tokenAccount, associatedTokenAddress } from '../../../chain/solana/token-accounts.js';
import { walletAccount } from '../../../chain/genesis.js';
import { DECIMALS, type Token } from '../../../core/domain/money.js';
import { processed } from '../../../chain/submission.js';
import { type Outgoing, outgoingTransaction } from '../../../sdk/client/outgoing.js';
import type { Simulator } from '../../../simulator/simulator.js';
import type { StudyAgent } from './agent.js';

/** SOL that a wallet has in addition to its funds, for fees and rent. */
const FOR_FEES_SOL = 0.05;

/** Converts token units to base units, rounded to the nearest. */
export function baseUnits(amount: number, token: Token): bigint {
  return BigInt(amount.toFixed(DECIMALS[token]).replace('.', ''));
}

export class ChainTransfers {
  readonly #sim: Simulator;
  #sent = 0;

  constructor(sim: Simulator) {
    this.#sim = sim;
  }

  /** Sends from an agent's wallet; resolves to the signature. Rejects with ChainRefusal. */
  async send(agent: StudyAgent, to: string, amount: number, token: Token): Promise<string> {
    const { chain, bank } = this.#sim;
    const amountBase = baseUnits(amount, token);
    const outgoing: Outgoing =
      token === 'SOL'
        ? { kind: 'sol', to, amountBase }
        : { kind: 'token', to, amountBase, mint: bank.addresses.usdcMint };
    this.#sent += 1;
    const { blockhash } = chain.latestBlockhash();
    const bytes = outgoingTransaction([agent.key], [outgoing], { number: this.#sent, blockhash });
    return processed(await chain.submit(bytes)).signature;
  }

  /** Writes the initial balances of agents' wallets, in token units. */
  async writeWallets(
    wallets: readonly { readonly address: string; readonly usdc: number; readonly sol: number }[],
  ): Promise<void> {
    const { usdcMint } = this.#sim.bank.addresses;
    await this.#sim.accounts.write(
      wallets.flatMap(({ address, usdc, sol }) => [
        { pubkey: address, account: walletAccount(baseUnits(sol + FOR_FEES_SOL, 'SOL')) },
        {
          pubkey: associatedTokenAddress(address, usdcMint),
          account: tokenAccount(usdcMint, address, baseUnits(usdc, 'USDC')),
        },
      ]),
      { isGenesis: true },
    );
  }
}
