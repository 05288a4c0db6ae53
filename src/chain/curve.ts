// Edwards25519 over p = 2^255 - 19, d = -121665 / 121666. Source: RFC 8032, section 5.1.
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

/** Whether 32 bytes are a point on the curve: wallet keys are, program-derived addresses must not be. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n;
  for (let at = 31; at >= 0; at -= 1) y = (y << 8n) | BigInt(bytes[at] as number);
  y &= (1n << 255n) - 1n;
  if (y >= P) y -= P;
  const square = (y * y) % P;
  const u = (square - 1n + P) % P;
  const v = (D * square + 1n) % P;
  // x² = u / v has a root exactly when u v is a square (or zero).
  const product = (u * v) % P;
  return product === 0n || power(product, (P - 1n) / 2n) === 1n;
}
