import type { ControlClient } from '../../api/control/client.js';
import { isAddress } from '../../core/domain/inputs.js';
import { AgentWallet } from '../../sdk/client/wallet.js';
import type { SubstituteSigners } from '../../recording/replay/substitute-signers.js';
import { CannotPlay } from '../scenario/target.js';

/**
 * A wallet of a world: the number of a dev wallet, or an address. `standIns` sign when the world lacks the key. Rejects with CannotPlay
 * when no key is available.
 */
export async function existingWallet(
  control: ControlClient,
  which: number | string,
  standIns: SubstituteSigners | null,
): Promise<AgentWallet> {
  const { wallets } = await control.do('wallets');
  const own = typeof which === 'number' ? wallets[which] : wallets.find(({ address }) => address === which);
  if (own !== undefined) return AgentWallet.fromSecretKey(own.secretKey);
  if (typeof which === 'number' || !isAddress(which)) throw new Error(`there is no wallet ${which}`);
  if (standIns === null) throw new CannotPlay(`no key is available for the wallet ${which}`);
  const { secretKey } = standIns.signerFor(which);
  return AgentWallet.standingFor(which, AgentWallet.fromSecretKey(secretKey));
}
