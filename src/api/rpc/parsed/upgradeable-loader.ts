import {
  type ByteReader,
  type Layout,
  address,
  option,
  rest,
  struct,
  u32,
} from '../../../chain/solana/layout.js';
import { type Typed, json64, typed } from './form.js';

/** The rest of the data, in the form of the RPC. */
const data: Layout<readonly [string, 'base64']> = (reader) => [
  Buffer.from(rest(reader)).toString('base64'),
  'base64',
];

// By number. Members are in byte order.
const FORMS: readonly Layout<Typed | { readonly type: string }>[] = [
  () => ({ type: 'uninitialized' }),
  typed('buffer', struct({ authority: option(address), data })),
  typed('program', struct({ programData: address })),
  typed('programData', struct({ slot: json64, authority: option(address), data })),
];

/** An account of the upgradeable loader. Source: parse_bpf_loader.rs of Agave's account-decoder. */
export function parseUpgradeableLoader(reader: ByteReader): Typed | { readonly type: string } | null {
  return FORMS[u32(reader)]?.(reader) ?? null;
}
