import { z } from 'zod';
import { DECIMALS, tokenUnits } from '../core/domain/money.js';
import { isAddress } from '../core/domain/inputs.js';
import { moneyOf } from './amounts.js';
import { KEY, keyOf } from './bank-tools.js';
import { callHash } from './consent.js';
import { fetchPaidTool } from './fetch-paid.js';
import { jsonSchema } from './schemas.js';
import type { Tool, ToolCall } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';

const balanceOutput = z.object({
  address: z.string(),
  SOL: z.number(),
  USDC: z.number(),
  treasury: z.string().describe('the address for deposits to the bank'),
  usdc_mint: z.string(),
});

const walletBalance: Tool = {
  definition: {
    name: 'wallet_balance',
    title: 'Wallet balance',
    description:
      "Get the wallet's address and its balances on chain. The account at the bank is separate: see account.",
    inputSchema: { type: 'object', properties: {} },
    outputSchema: jsonSchema(balanceOutput, 'output'),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async (_args, { session }) => {
    const { wallet, backend } = session;
    const { lamports, usdcBase } = await backend.chain.balances(wallet.address);
    return {
      address: wallet.address,
      SOL: tokenUnits('SOL', lamports),
      USDC: tokenUnits('USDC', usdcBase),
      treasury: backend.facts.treasury,
      usdc_mint: backend.facts.usdcMint,
    };
  },
};

const sendInput = z.object({
  to: z
    .string()
    .describe(
      "A Solana address, or 'treasury' to fund this wallet's account; record the transfer with deposit afterwards",
    ),
  amount: z.number().positive().describe('Token units; at most as many decimals as the token has'),
  token: z.enum(['USDC', 'SOL']),
  idempotency_key: KEY,
});
const sendOutput = z.object({
  tx_signature: z.string(),
  to: z.string(),
  amount: z.number(),
  token: z.enum(['USDC', 'SOL']),
});

async function send(args: Readonly<Record<string, unknown>>, call: ToolCall): Promise<object> {
  const { session, options } = call;
  const { facts, chain } = session.backend;
  const { to: given } = args;
  const to = given === 'treasury' ? facts.treasury : given;
  if (typeof to !== 'string' || !isAddress(to))
    throw new ToolRefusal('invalid_wallet', 'to: must be a Solana address, or treasury');
  const money = moneyOf(args['amount'], args['token']);
  const { token } = money;
  const amount = tokenUnits(token, money.amountBase);
  const key = keyOf(args['idempotency_key']) ?? null;
  const hash = callHash('wallet_send', args);
  const transfer = session.transfers.begin(key, hash, () =>
    session.wallet.signTransfer(chain, { token, to, amount, usdcMint: facts.usdcMint }),
  );
  const work = async () => ({ tx_signature: await session.transfers.make(transfer), to, amount, token });
  // Between the wallet and the account of one agent nothing is spent.
  if (to === facts.treasury) return work();
  const payment = { ...money, key: key === null ? null : hash, to, toName: 'to', texts: {} };
  await session.checkPayee(payment);
  await session.requireAllowed(call, payment);
  return session.spending.pay(payment, options.maxSpend, work, {
    nameOf: ({ tx_signature: signature }) => signature,
    isUnpaid: () => !transfer.isTried,
  });
}

const walletSend: Tool = {
  definition: {
    name: 'wallet_send',
    title: 'Wallet send',
    description: `Send USDC (${DECIMALS.USDC} decimals) or SOL (${DECIMALS.SOL}) from the wallet on chain. This server's limits and the user's consent may apply, except for transfers to the treasury.`,
    inputSchema: jsonSchema(sendInput, 'input'),
    outputSchema: jsonSchema(sendOutput, 'output'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  run: send,
};

/** The tools of the agent's wallet on chain, and `fetch_paid`. */
export const WALLET_TOOLS: readonly Tool[] = [walletBalance, walletSend, fetchPaidTool];
