import { verify } from 'node:crypto';
import bs58 from 'bs58';
import canonicalize from 'canonicalize';
import { SIGNATURE_FORM } from './checks.js';
import { Check, type Members, differenceOf, differs, inside } from './compare.js';
import { publicKey } from './sign-in.js';

/** Cache of valid receipt signatures: each order of overlapping calls is compared with the same receipt. */
const verified = new WeakMap<object, unknown>();

/** A receipt: every member is exact, and the issuer's signature covers all other members. Source: docs/reference/fidelity.md, x402. */
export function receipt(issuer: string, terms: Members): Check {
  const members = { ...terms, issuer, signature: SIGNATURE_FORM };
  return new Check((actual, memory) => {
    const difference = differenceOf(members, actual, memory);
    if (difference !== null) return difference;
    const { signature, ...signed } = actual as Record<string, unknown>;
    if (verified.get(actual as object) === signature) return null;
    const bytes = Buffer.from(canonicalize(signed) ?? '', 'utf8');
    if (!verify(null, bytes, publicKey(issuer), bs58.decode(String(signature)))) {
      const words = 'the signature of the other members by the issuer';
      return inside('signature', differs({ words }, signature));
    }
    verified.set(actual as object, signature);
    return null;
  });
}
