/** The networks of standard x402 on Solana: CAIP-2 names (version 2) and their version 1 names. Source: @x402/svm. */
export const STANDARD_NETWORKS = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana-devnet',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': 'solana-testnet',
} as const;
