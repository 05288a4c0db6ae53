import type { BankLimits } from '../../core/domain/bank-limits.js';
import { type Endpoint, BASE_PATH } from '../../contract/endpoints.js';

/** Facts about a running service that discovery publishes. */
export interface ServiceFacts {
  readonly treasury: string;
  readonly usdcMint: string;
  readonly network: string;
  /** base58 of the key that signs receipts. */
  readonly issuerPublicKey: string;
}

/** The facts, and the URL of the chain's JSON-RPC, which is null when it is not served. */
export interface PublishedFacts extends ServiceFacts {
  readonly rpcUrl: string | null;
}

/** The URL of a listener that a client of `origin` can reach. For a server on all addresses it has the client's host. */
export function reachable(url: string, origin: string): string {
  const there = new URL(url);
  if (there.hostname === '0.0.0.0' || there.hostname === '[::]') there.hostname = new URL(origin).hostname;
  return there.href.replace(/\/$/, '');
}

function published({ treasury, network, usdcMint, issuerPublicKey, rpcUrl }: PublishedFacts) {
  return {
    treasury_address: treasury,
    network,
    usdc_mint: usdcMint,
    receipt_issuer: issuerPublicKey,
    ...(rpcUrl === null ? {} : { rpc_url: rpcUrl }),
  };
}

const NAME = 'agent-bank-sim';
const DESCRIPTION =
  'A simulated bank for software agents: checking, savings, credit and x402 payments on a Solana chain.';

const LOGIN_FLOW = [
  'POST {base_url}/agent/auth/challenge with {"wallet": "<address>"}',
  'Sign the UTF-8 bytes of the returned challenge with the wallet (ed25519, detached) and encode the signature in base58',
  'POST {base_url}/agent/auth/verify with {"wallet", "signature", "message": "<the challenge>"}',
  'Send Authorization: Bearer <token> with every other call',
];

type Endpoints = Readonly<Record<string, Endpoint>>;

/** `/.well-known/agent.json`. */
export function agentCard(origin: string, facts: PublishedFacts, endpoints: Endpoints): object {
  return {
    name: NAME,
    description: DESCRIPTION,
    version: '2.0.0',
    url: `${origin}${BASE_PATH}`,
    authentication: { schemes: ['wallet_signature'], flow: LOGIN_FLOW },
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([id, e]) => [id, `${e.method} ${BASE_PATH}${e.path}`]),
    ),
    capabilities: ['checking', 'savings', 'yield', 'collateral_credit', 'x402_payments', 'credit_lines'],
    ...published(facts),
  };
}

/** The addresses of a running simulator's interfaces; `origin` includes the prefix of every path. */
export function places(origin: string, rpcUrl: string | null) {
  const baseUrl = `${origin}${BASE_PATH}`;
  return {
    name: NAME,
    description: DESCRIPTION,
    baseUrl,
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    onboarding: `${baseUrl}/agent/onboard`,
    discovery: `${origin}/.well-known/agent.json`,
    control: `${origin}/_sim/v1/openapi.json`,
    /** `null` when the chain's JSON-RPC is not served. */
    rpcUrl,
  };
}

export type Places = ReturnType<typeof places>;

type DocumentedEndpoint = Pick<Endpoint, 'method' | 'path' | 'auth' | 'summary'>;

/** `{base_url}/docs`. */
export function docs(
  origin: string,
  { facts, limits }: { readonly facts: PublishedFacts; readonly limits: BankLimits },
  endpoints: Endpoints,
) {
  const byArea: Record<string, DocumentedEndpoint[]> = {};
  for (const { area, method, path, auth, summary } of Object.values(endpoints)) {
    (byArea[area] ??= []).push({ method, path, auth, summary });
  }
  return {
    name: NAME,
    version: '2.0.0',
    description: DESCRIPTION,
    baseUrl: `${origin}${BASE_PATH}`,
    openapi: `${origin}${BASE_PATH}/openapi.json`,
    ...published(facts),
    authentication: {
      type: 'wallet_signature',
      token: `Bearer JWT, ${lifetime(limits.tokenSeconds)}`,
      flow: LOGIN_FLOW,
    },
    limits,
    endpoints: byArea,
  };
}

export type DocsView = ReturnType<typeof docs>;

function percent(share: number): string {
  return `${Number((100 * share).toFixed(4))} %`;
}

function lifetime(seconds: number): string {
  return seconds % 3_600 === 0 ? `${seconds / 3_600} hours` : `${seconds} seconds`;
}

/** `{base_url}/agent/onboard`. */
export function onboarding(
  origin: string,
  { facts, limits }: { readonly facts: ServiceFacts; readonly limits: BankLimits },
): { steps: { step: number; title: string; text: string }[] } {
  const steps: [string, string][] = [
    ['Sign in', LOGIN_FLOW.join('. ').replaceAll('{base_url}', `${origin}${BASE_PATH}`)],
    [
      'Deposit',
      `Send USDC (mint ${facts.usdcMint}) or SOL from your own wallet to the treasury ${facts.treasury}, then POST /agent/account/deposit with amount, token and tx_signature.`,
    ],
    ['Look', 'GET /agent/account shows balances, GET /agent/account/transactions the history.'],
    [
      'Save',
      'POST /agent/account/savings/deposit moves checking to savings; GET /agent/account/savings/yield returns the rates; /savings/withdraw moves savings back with their yield.',
    ],
    [
      'Borrow against savings',
      `POST /agent/account/collateral/borrow lends up to ${percent(limits.maxLtv)} of USDC savings at ${percent(limits.collateralApr)} a year; /collateral/repay pays back.`,
    ],
    [
      'Pay by x402',
      'When a service returns 402 with X-Payment-Request, POST /agent/account/x402/pay and retry with the receipt, base64 of its JSON, in X-Payment-Receipt.',
    ],
    [
      'Be paid by x402',
      'GET /agent/account/x402/request returns the headers for your own 402 response; POST /agent/account/x402/receive credits what arrived.',
    ],
    [
      'Apply for credit',
      'GET /agent/profile and /agent/eligibility return your score and whether you can apply; POST /agent/loans applies; POST /agent/loans/{id}/repay pays back.',
    ],
    [
      'Withdraw',
      `POST /agent/account/withdraw sends tokens to your wallet or another, up to ${limits.dailyWithdrawalUsd} USD a day.`,
    ],
  ];
  return { steps: steps.map(([title, text], at) => ({ step: at + 1, title, text })) };
}
