import bs58 from 'bs58';
import nacl from 'tweetnacl';

/** RFC 8785 for the values in receipts: sorted members, JSON's own numbers and strings. Independent of the bank's implementation. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** Whether a receipt carries the issuer's signature, checked without the bank's code. */
export function verify(receipt: unknown, issuer: string): boolean {
  const { signature, ...signed } = receipt as { signature: string; issuer: string };
  return (
    signed.issuer === issuer &&
    nacl.sign.detached.verify(Buffer.from(canonical(signed)), bs58.decode(signature), bs58.decode(issuer))
  );
}
