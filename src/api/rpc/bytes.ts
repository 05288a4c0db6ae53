import bs58 from 'bs58';

const BASE58 = /[^1-9A-HJ-NP-Za-km-z]/;
const BASE64 = /[^A-Za-z0-9+/]/;

/** The bytes of padded base64; for other text the name of its fault. Source: DecodeError of Rust's base64, which clusters show. */
export function decodedBase64(text: string): Uint8Array | string {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  const symbols = text.replace(/={1,2}$/, '');
  const wrong = symbols.search(BASE64);
  if (wrong >= 0) return `InvalidByte(${wrong}, ${symbols.charCodeAt(wrong)})`;
  if (symbols.length % 4 === 1) return `InvalidLength(${symbols.length})`;
  const last = symbols.length - 1;
  return text.length % 4 === 0 ? `InvalidLastSymbol(${last}, ${symbols.charCodeAt(last)})` : 'InvalidPadding';
}

/** The bytes of base58; for other text the name of its fault. Source: DecodeError of Rust's bs58, which clusters show. */
export function decodedBase58(text: string): Uint8Array | string {
  const at = text.search(BASE58);
  return at < 0 ? bs58.decode(text) : `InvalidCharacter { character: '${text[at]}', index: ${at} }`;
}
