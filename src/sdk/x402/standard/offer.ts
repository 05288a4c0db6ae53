import { encodeHeader } from '../../../core/domain/payment-request.js';
import type { Resource } from '../binding.js';
import { objectIn } from '../headers.js';
import type { RequestedPayment, StandardRequirements } from '../ports.js';

/** The networks of standard x402 on Solana: CAIP-2 names (version 2) and their version 1 names. Source: @x402/svm. */
export const STANDARD_NETWORKS = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana-devnet',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': 'solana-testnet',
} as const;

interface Required {
  readonly accepts?: readonly StandardRequirements[];
}

/**
 * The bank's PAYMENT-REQUIRED for a resource of a service; null when it cannot be paid by standard x402, as for SOL. The transaction must
 * carry the id of the payment request as its memo, which binds it to the HTTP request.
 */
export function standardOffer(
  { headers, payment_request: request }: RequestedPayment,
  resource: Resource,
  error: string,
) {
  const header = headers['PAYMENT-REQUIRED'];
  const required = header === undefined ? null : objectIn(header);
  const [offered] = (required as Required | null)?.accepts ?? [];
  if (offered === undefined) return null;
  const requirements = { ...offered, extra: { ...offered.extra, memo: request.request_id } };
  const { url } = resource;
  const description = request.description ?? '';
  const versionTwo = {
    x402Version: 2,
    error,
    resource: { url, description, mimeType: '' },
    accepts: [requirements],
  };
  return {
    requirements,
    /** The value of PAYMENT-REQUIRED, version 2. */
    header: encodeHeader(versionTwo),
    /** The requirements of version 1, for the body. */
    accepts: [versionOne(requirements, { url, description })],
  };
}

/** The parts of a 402 response for clients of standard x402. */
export type StandardOffer = NonNullable<ReturnType<typeof standardOffer>>;

/** Converts requirements to version 1. */
export function versionOne(
  requirements: StandardRequirements,
  resource: { readonly url: string; readonly description: string },
): object {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = requirements;
  return {
    scheme,
    network: (STANDARD_NETWORKS as Readonly<Record<string, string>>)[network] ?? network,
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType: '',
    payTo,
    maxTimeoutSeconds,
    asset,
    extra,
  };
}
