/** What an id identifies; each kind has its own counter. */
export type IdKind = 'entry' | 'payment' | 'repayment' | 'loan' | 'token' | 'paymentRequest';

const KIND_CODES: Readonly<Record<IdKind, number>> = {
  entry: 1,
  payment: 2,
  repayment: 3,
  loan: 4,
  token: 6,
  paymentRequest: 7,
};

// The finalizer of MurmurHash3 (Austin Appleby, public domain): a bijection on 32 bits that spreads every bit.
function mix(bits: number): number {
  let h = bits | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function word(salt: number, kind: IdKind, n: number, lane: number): string {
  const low = mix(salt ^ Math.imul(lane, 0x9e3779b9));
  const mixed = mix(mix(mix(low ^ n) + (KIND_CODES[kind] << 8) + lane) ^ Math.floor(n / 0x100000000) ^ low);
  return mixed.toString(16).padStart(8, '0');
}

/** The n-th UUID of a kind in the world with this salt, deterministic. Formatted as version 4. */
export function uuid(salt: number, kind: IdKind, n: number): string {
  const hex =
    word(salt, kind, n, 1) + word(salt, kind, n, 2) + word(salt, kind, n, 3) + word(salt, kind, n, 4);
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3] as string;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The id of the loan whose application is entry `seq`. */
export function loanId(salt: number, seq: number): string {
  return `loan_${uuid(salt, 'loan', seq).replaceAll('-', '').slice(0, 24)}`;
}

/** The id of the loan payment that entry `seq` recorded. */
export function repaymentId(salt: number, seq: number): string {
  return `payment_${uuid(salt, 'repayment', seq).replaceAll('-', '').slice(0, 24)}`;
}
