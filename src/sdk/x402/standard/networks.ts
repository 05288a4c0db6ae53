/** The networks of standard x402 on Solana: CAIP-2 names of version 2, and the names of version 1. Source: @x402/svm. */
export const STANDARD_NETWORKS = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana-devnet',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': 'solana-testnet',
} as const;
