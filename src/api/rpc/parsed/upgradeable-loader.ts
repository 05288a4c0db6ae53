import type { Info, Typed } from './form.js';
import { ByteReader } from './reader.js';

/** What is left, as the RPC tells bytes. */
function rest(reader: ByteReader): readonly [string, 'base64'] {
  return [Buffer.from(reader.bytes(reader.remaining)).toString('base64'), 'base64'];
}

// By number. Members are in byte order.
const FORMS: readonly { readonly type: string; readonly read: (reader: ByteReader) => Info }[] = [
  { type: 'buffer', read: (reader) => ({ authority: reader.optionalAddress(), data: rest(reader) }) },
  { type: 'program', read: (reader) => ({ programData: reader.address() }) },
  {
    type: 'programData',
    read: (reader) => ({
      slot: reader.json64(),
      authority: reader.optionalAddress(),
      data: rest(reader),
    }),
  },
];

/** An account of the upgradeable loader. Source: parse_bpf_loader.rs of Agave's account-decoder. */
export function parseUpgradeableLoader(data: Uint8Array): Typed | { readonly type: string } | null {
  const reader = new ByteReader(data);
  const number = reader.u32();
  if (reader.failed) return null;
  if (number === 0) return { type: 'uninitialized' };
  const form = FORMS[number - 1];
  const info = form?.read(reader);
  return form === undefined || info === undefined || reader.failed ? null : { type: form.type, info };
}
