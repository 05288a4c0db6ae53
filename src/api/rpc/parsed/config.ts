import type { Typed } from './form.js';
import { STAKE_CONFIG, VALIDATOR_INFO } from '../../../chain/solana/addresses.js';
import { ByteReader } from './reader.js';

/** Nested deeper, text is not JSON. Source: serde_json's limit of recursion. */
const MAX_DEPTH = 128;

function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((member) => isDeeper(member, than - 1));
}

function parsedJson(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MAX_DEPTH) ? null : { value };
  } catch {
    return null;
  }
}

/**
 * An account of the config program: the configuration of stakes, or what a validator tells of itself; null for any other.
 * Source: parse_config.rs of Agave's account-decoder.
 */
export function parseConfig(address: string, data: Uint8Array): Typed | null {
  const reader = new ByteReader(data);
  const keys = reader.list(
    () => ({ pubkey: reader.address(), signer: reader.bool() }),
    BigInt(reader.compactU16()),
  );
  if (address === STAKE_CONFIG) {
    const info = { warmupCooldownRate: reader.f64(), slashPenalty: reader.u8() };
    return reader.failed ? null : { type: 'stakeConfig', info };
  }
  if (keys[0]?.pubkey !== VALIDATOR_INFO) return null;
  const text = reader.text(reader.u64());
  const json = reader.failed ? null : parsedJson(text);
  return json === null ? null : { type: 'validatorInfo', info: { keys, configData: json.value } };
}
