import { parseJson } from '../../../core/json.js';
import { STAKE_CONFIG, VALIDATOR_INFO } from '../../../chain/solana/addresses.js';
import {
  type ByteReader,
  address,
  bool,
  compactU16,
  f64,
  list,
  struct,
  text,
  u64,
  u8,
} from '../../../chain/solana/layout.js';
import { type Typed, typed } from './form.js';

function parsedJson(json: string): { readonly value: unknown } | null {
  try {
    return { value: parseJson(json) };
  } catch {
    return null;
  }
}

const keyList = list(struct({ pubkey: address, signer: bool }), compactU16);
const stakeConfig = typed('stakeConfig', struct({ warmupCooldownRate: f64, slashPenalty: u8 }));

/**
 * An account of the config program: the configuration of stakes, or a validator's info; null for any other. Source: parse_config.rs of
 * Agave's account-decoder.
 */
export function parseConfig(reader: ByteReader, of: string): Typed | null {
  const keys = keyList(reader);
  if (of === STAKE_CONFIG) return stakeConfig(reader);
  if (keys[0]?.pubkey !== VALIDATOR_INFO) return null;
  const json = parsedJson(text(u64)(reader));
  return json === null ? null : { type: 'validatorInfo', info: { keys, configData: json.value } };
}
