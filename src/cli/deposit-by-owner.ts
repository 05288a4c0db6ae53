import { ChainRpcError } from '../sdk/client/chain-at.js';
import { AgentClient, BankError } from '../sdk/client/client.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { BodyOf, ControlClient } from '../api/control/client.js';
import { FEES_SOL } from '../runtime/wallet-funding.js';
import { keyOption } from './key-option.js';
import { RemoteRefusal, UsageError } from './usage.js';

type DepositArguments = BodyOf<'deposit'> & { readonly url: string; readonly secretKey: string };

/** The base URL of a world, given its origin or base URL. */
function baseUrlOf(url: string): string {
  return url.replace(/\/$/, '').replace(new RegExp(`${BASE_PATH}$`), '') + BASE_PATH;
}

/**
 * Deposits from a wallet whose key only the caller has. The faucet funds the wallet; the caller's client sends the transfer and records the deposit. Throws UsageError, RemoteRefusal.
 */
export async function depositByOwner(
  control: ControlClient,
  { url, wallet, amount, token, secretKey }: DepositArguments,
) {
  const owner = AgentWallet.fromSecretKey(keyOption('--secret-key', secretKey));
  if (owner.address !== wallet) throw new UsageError(`--secret-key: does not belong to wallet ${wallet}`);
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
