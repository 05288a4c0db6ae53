import { verify } from 'node:crypto';
import bs58 from 'bs58';
import canonicalize from 'canonicalize';
import { looksSigned } from './checks.js';
import { Check, type Memory, type Tree, differenceOf, differs, inside } from './compare.js';
import type { BodyDifference } from './difference.js';
import { publicKey } from './sign-in.js';

/** Cache of valid receipt signatures: each order of overlapping calls is compared with the same receipt. */
const verified = new WeakMap<object, unknown>();

/** A receipt: every member is exact, and the issuer's signature covers all other members. Source: docs/reference/fidelity.md, x402. */
export class Receipt extends Check {
  readonly #issuer: string;
  readonly #members: { readonly [member: string]: Tree };

  constructor(issuer: string, members: { readonly [member: string]: Tree }) {
    super();
    this.#issuer = issuer;
    this.#members = { ...members, issuer, signature: new SignatureForm() };
  }

  see(actual: unknown, memory: Memory): BodyDifference | null {
    const difference = differenceOf(this.#members, actual, memory);
    if (difference !== null) return difference;
    const { signature, ...signed } = actual as Record<string, unknown>;
    if (verified.get(actual as object) === signature) return null;
    const bytes = Buffer.from(canonicalize(signed) ?? '', 'utf8');
    if (!verify(null, bytes, publicKey(this.#issuer), bs58.decode(String(signature))))
      return inside(
        'signature',
        differs({ words: 'the signature of the other members by the issuer' }, signature),
      );
    verified.set(actual as object, signature);
    return null;
  }
}

export class SignatureForm extends Check {
  see(actual: unknown): string | null {
    return typeof actual === 'string' && looksSigned(actual) ? null : 'base58 of 64 bytes';
  }
}
