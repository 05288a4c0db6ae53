import bs58 from 'bs58';
import canonicalize from 'canonicalize';
import nacl from 'tweetnacl';

/** Whether a receipt carries the issuer's signature, checked without the bank's code. */
export function verify(receipt: unknown, issuer: string): boolean {
  const { signature, ...signed } = receipt as { signature: string; issuer: string };
  return (
    signed.issuer === issuer &&
    nacl.sign.detached.verify(
      Buffer.from(canonicalize(signed) ?? ''),
      bs58.decode(signature),
      bs58.decode(issuer),
    )
  );
}
