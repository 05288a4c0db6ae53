/** A profile of agents: initial funds, and the frequency of actions. */
export interface Persona {
  readonly summary: string;
  /** In its wallet, in checking and in savings, in token units. */
  readonly begins: {
    readonly wallet: { readonly usdc: number; readonly sol: number };
    readonly checking?: { readonly usdc?: number; readonly sol?: number };
    readonly savings?: { readonly usdc?: number; readonly sol?: number };
    readonly identity?: { readonly x: boolean; readonly github: boolean };
  };
  /** USDC income from outside per 30 days, in studies. Default: none. */
  readonly income?: number;
  /** Weights of actions, by name in `persona-actions.ts`. */
  readonly does: Readonly<Record<string, number>>;
}

/** Personas for scenarios, properties and studies. */
export const PERSONAS: Readonly<Record<string, Persona>> = {
  saver: {
    summary: 'deposits savings and withdraws them occasionally',
    begins: { wallet: { usdc: 500, sol: 2 }, checking: { usdc: 500, sol: 2 } },
    does: {
      deposit: 2,
      prepay: 1,
      replay: 1,
      'savings.deposit': 4,
      'savings.withdraw': 3,
      withdraw: 1,
      account: 1,
      wait: 3,
    },
  },
  borrower: {
    summary: 'borrows against its savings, up to the limit',
    begins: { wallet: { usdc: 100, sol: 2 }, checking: { usdc: 100 }, savings: { usdc: 1_000 } },
    does: {
      'collateral.borrow': 5,
      'collateral.repay': 3,
      'savings.withdraw': 2,
      'savings.deposit': 1,
      withdraw: 1,
      wait: 2,
    },
  },
  spender: {
    summary: 'withdraws and pays up to its daily limits',
    begins: { wallet: { usdc: 100, sol: 2 }, checking: { usdc: 5_000, sol: 20 } },
    income: 3_000,
    does: { withdraw: 5, 'x402.pay': 5, wait: 2, account: 1 },
  },
  payer: {
    summary: 'makes small payments to other agents',
    begins: { wallet: { usdc: 100, sol: 2 }, checking: { usdc: 1_000, sol: 5 } },
    income: 500,
    does: { 'x402.pay': 8, deposit: 1, transactions: 1, wait: 1 },
  },
  shop: {
    summary: 'requests payments and collects those that arrived',
    begins: { wallet: { usdc: 10, sol: 2 }, checking: { usdc: 10 } },
    does: { 'x402.request': 2, 'x402.receive': 5, withdraw: 1, wait: 1 },
  },
  defaulter: {
    summary: 'takes credit lines and rarely repays them',
    begins: { wallet: { usdc: 50, sol: 2 }, checking: { usdc: 50 }, identity: { x: true, github: true } },
    does: { 'loans.apply': 4, 'review.approve': 3, withdraw: 2, 'loans.repay': 1, wait: 4 },
  },
  attacker: {
    summary: 'claims transactions of others, records them twice, and sends malformed requests',
    begins: { wallet: { usdc: 500, sol: 2 }, checking: { usdc: 100 } },
    does: { steal: 4, replay: 4, prepay: 2, overdraw: 3, nonsense: 3, 'collateral.borrow': 1, withdraw: 1 },
  },
};
