const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const PAIRS = Array.from({ length: 58 * 58 }, (_, at) => {
  return `${ALPHABET[Math.floor(at / 58)] as string}${ALPHABET[at % 58] as string}`;
});

/** Four digits at once: the largest power of 58 whose product with 2^16, plus a carry, stays well within exact integers. */
const LIMB = 58 ** 4;

/**
 * The base58 form of bytes, with the alphabet of Bitcoin and Solana. For short inputs such as signatures: the time is quadratic in
 * their length. Libraries work digit by digit, which takes ten times as long, and every payment encodes two signatures.
 */
export function base58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs: number[] = [];
  // Two bytes at a time; an odd count begins with a single one.
  for (let at = zeros - ((bytes.length - zeros) % 2); at < bytes.length; at += 2) {
    let carry = ((at < zeros ? 0 : (bytes[at] as number)) << 8) | (bytes[at + 1] as number);
    for (let limb = 0; limb < limbs.length; limb += 1) {
      const value = (limbs[limb] as number) * 65_536 + carry;
      carry = Math.floor(value / LIMB);
      limbs[limb] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  let text = '';
  for (let limb = limbs.length - 1; limb >= 0; limb -= 1) {
    const value = limbs[limb] as number;
    const high = Math.floor(value / 3_364);
    text += (PAIRS[high] as string) + (PAIRS[value - high * 3_364] as string);
  }
  // The first limb may have leading zeros, which are not digits of the number.
  let start = 0;
  while (start < text.length && text[start] === '1') start += 1;
  return '1'.repeat(zeros) + text.slice(start);
}
