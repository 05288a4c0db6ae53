import { ChainRpcError } from '../sdk/client/chain-at.js';
import { AgentClient, BankError } from '../sdk/client/client.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { ControlClient } from '../api/control/client.js';
import type { Token } from '../core/domain/money.js';
import { FEES_SOL } from '../runtime/wallet-funding.js';
import { keyOption } from './key-option.js';
import { RemoteRefusal, UsageError } from './usage.js';

/** A deposit as the command line asks for it. */
interface DepositArguments {
  readonly url: string;
  readonly wallet: string;
  readonly amount: number;
  readonly token: Token;
  readonly secretKey: string;
}

/** The base URL of a world whose address or base URL is given. */
function baseUrlOf(url: string): string {
  return url.replace(/\/$/, '').replace(new RegExp(`${BASE_PATH}$`), '') + BASE_PATH;
}

/**
 * A deposit of a wallet whose key only the caller has: the faucet gives what is deposited, and the wallet's own client sends and records
 * it over the RPC that the service names. Throws UsageError, RemoteRefusal.
 */
export async function depositByOwner(
  control: ControlClient,
  { url, wallet, amount, token, secretKey }: DepositArguments,
) {
  const owner = AgentWallet.fromSecretKey(keyOption('--secret-key', secretKey));
  if (owner.address !== wallet)
    throw new UsageError(`--secret-key: is the key of another wallet than ${wallet}`);
  const { balances } = await control.do('faucet', { body: { address: wallet, amount, token } });
  const restSol = token === 'SOL' ? balances.SOL - amount : balances.SOL;
  if (restSol < FEES_SOL)
    await control.do('faucet', { body: { address: wallet, amount: FEES_SOL, token: 'SOL' } });
  try {
    const { deposit, balance } = await new AgentClient({ baseUrl: baseUrlOf(url), wallet: owner }).fund(
      amount,
      token,
    );
    return { deposit, signature: deposit.tx_signature, balance };
  } catch (error) {
    if (error instanceof BankError) throw new RemoteRefusal(`${error.message} (${error.code})`);
    if (error instanceof ChainRpcError) throw new RemoteRefusal(error.message);
    throw error;
  }
}
