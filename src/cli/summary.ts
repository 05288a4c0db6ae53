import type { DevWallet } from '../runtime/dev-wallets.js';
import type { RunningRpc } from '../api/rpc/server.js';
import type { Simulator } from '../simulator/simulator.js';
import type { RunningPaywall } from './paywall.js';
import { type Token, tokenUnits } from '../core/domain/money.js';

/** Addresses of a simulator; `rpc` is null when the chain is not served. */
export interface Addresses {
  readonly baseUrl: string;
  /** Null when it is not served. */
  readonly inspectorUrl: string | null;
  readonly mcpUrl: string;
  readonly rpc: RunningRpc | null;
  /** The demo service; null if disabled. */
  readonly paywall: RunningPaywall | null;
}

/** Maximum created wallets listed. */
const MADE_SHOWN = 20;

/** Maximum length of a base58 address. */
const ADDRESS_COLUMNS = 44;

/** The balances of a wallet, such as `1,000 SOL, 5 USDC`. */
function balancesText({ lamports, usdcBase }: { lamports: bigint; usdcBase: bigint }): string {
  const text = (token: Token, base: bigint) => `${tokenUnits(token, base).toLocaleString('en-US')} ${token}`;
  return `${text('SOL', lamports)}, ${text('USDC', usdcBase)}`;
}

function chainLine({ config: { cluster } }: Simulator, rpc: RunningRpc | null): string {
  if (cluster !== null) return `the cluster at ${new URL(cluster.url).origin}`;
  return rpc === null ? 'no JSON-RPC (--no-rpc)' : `${rpc.url}, WebSocket ${rpc.webSocketUrl}`;
}

async function walletLines(simulator: Simulator, withKeys: boolean): Promise<string[]> {
  const { facts, bank, wallets, chain, config, funding } = simulator;
  if (config.cluster !== null) {
    const { treasury, protocol } = bank.addresses;
    const held = balancesText(await chain.balances(treasury.address));
    return [
      `The treasury holds ${held}. The lending protocol is ${protocol.address};`,
      'its balance pays the yield of savings.',
      '',
      'A cluster has no dev wallets. Fund your own wallet with SOL by requestAirdrop, if the cluster supports it,',
      `and with USDC (${facts.usdcMint}) by a transfer. Time, accounts and snapshots of a cluster cannot be set.`,
    ];
  }
  const linesOf = async (list: readonly DevWallet[]) => {
    const lines: string[] = [];
    for (const [at, { address, secretKey }] of list.entries()) {
      const held = balancesText(await chain.balances(address));
      lines.push(`  ${at}  ${address.padEnd(ADDRESS_COLUMNS)}  ${held}`);
      if (withKeys) lines.push(`     ${secretKey}`);
    }
    return lines;
  };
  const made = funding.made();
  const more = made.length - MADE_SHOWN;
  return [
    `Dev wallets. Their keys${withKeys ? '' : ' (--keys)'} are public: never use them elsewhere.`,
    ...(await linesOf(wallets)),
    ...(made.length === 0
      ? []
      : [
          'Wallets created by this world. Their keys are public too, and sign in as its agents.',
          ...(await linesOf(made.slice(0, MADE_SHOWN))),
        ]),
    ...(more > 0 ? [`  and ${more} more: GET /_sim/v1/wallets lists all`] : []),
  ];
}

/** The output of `sim start` as text: a screen of 24 rows and 80 columns, unless keys or created wallets are listed. A URL is the last word of its line. */
export async function readableSummary(
  simulator: Simulator,
  { baseUrl, inspectorUrl, mcpUrl, rpc, paywall }: Addresses,
  { withKeys }: { readonly withKeys: boolean },
): Promise<string> {
  const { facts, config } = simulator;
  const { engine, variants, seed, time, data } = config;
  const { path: recording } = simulator.recording.state();
  const clock = time.kind === 'scaled' ? `${time.factor}x` : time.kind;
  const lines = [
    `  World      ${engine}, ${variants.network}, seed ${seed}, ${clock} time, now ${simulator.now().toISOString()}`,
    ...(data === null ? [] : [`  Data in    ${data.dir}, fsync ${data.fsync}`]),
    ...(recording === null ? [] : [`  Recording  to ${recording}`]),
    `  Treasury   ${facts.treasury}`,
    `  USDC mint  ${facts.usdcMint}`,
    `  Receipts   signed by ${facts.issuerPublicKey}`,
    ...(await walletLines(simulator, withKeys)),
    '',
    ...(paywall === null
      ? []
      : [`  Paywall    ${paywall.url}, paid at ${paywall.recipient}; price list at GET /`]),
    `  Chain      ${chainLine(simulator, rpc)}`,
    `  MCP        ${mcpUrl}`,
    `  Docs       ${baseUrl}/docs`,
    ...(inspectorUrl === null ? [] : [`  Inspector  ${inspectorUrl}`]),
    `  API        ${baseUrl}`,
    `  Try        curl ${baseUrl}/agent/account/savings/yield`,
    'agent-bank-sim is running. Stop with Ctrl-C.',
  ];
  return `${lines.join('\n')}\n`;
}

/** The output of `sim start --json`: exactly one line. */
export function jsonSummary(
  simulator: Simulator,
  { baseUrl, inspectorUrl, mcpUrl, rpc, paywall }: Addresses,
): string {
  const { facts, bank, config, wallets, funding } = simulator;
  const line = {
    ready: true,
    baseUrl,
    inspectorUrl,
    mcpUrl,
    treasury: facts.treasury,
    protocol: bank.addresses.protocol.address,
    usdcMint: facts.usdcMint,
    network: config.variants.network,
    engine: config.engine,
    seed: config.seed,
    issuerPublicKey: facts.issuerPublicKey,
    wallets: [...wallets, ...funding.made()],
    pid: process.pid,
    rpcUrl: config.cluster?.url ?? rpc?.url ?? null,
    webSocketUrl: rpc?.webSocketUrl ?? null,
    dataDir: config.data?.dir ?? null,
    paywall: paywall === null ? null : { url: paywall.url, recipient: paywall.recipient },
  };
  return `${JSON.stringify(line)}\n`;
}
