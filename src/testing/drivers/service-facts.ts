import { USDC_MINTS } from '../../chain/genesis.js';
import type { FetchLike, ServiceFacts } from '../scenario/target.js';

/** What a service publishes about itself at `{base_url}/docs`, fetched once. Throws Error if that fails. */
export function factsOf(baseUrl: string, fetcher: FetchLike): () => Promise<ServiceFacts> {
  let asked: Promise<ServiceFacts> | null = null;
  const ask = async (): Promise<ServiceFacts> => {
    const response = await fetcher(`${baseUrl}/docs`);
    const docs = (await response.json().catch(() => null)) as Record<string, unknown> | null;
    const { treasury_address: treasury, usdc_mint: usdcMint, receipt_issuer: issuer } = docs ?? {};
    if (typeof treasury !== 'string')
      throw new Error(`${baseUrl}/docs does not contain treasury_address (HTTP ${response.status})`);
    return {
      treasury,
      usdcMint: typeof usdcMint === 'string' ? usdcMint : USDC_MINTS.mainnet,
      issuer: typeof issuer === 'string' ? issuer : null,
    };
  };
  return () => (asked ??= ask());
}
