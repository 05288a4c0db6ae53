import { expect } from 'vitest';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import {
  PAYMENT_ERRORS,
  type PayingOptions,
  PaymentError,
  payingFetch,
} from '../../../src/sdk/x402/index.js';
import { agentWith, world } from '../../support/world.js';
import { LossyFetch } from './lossy-fetch.js';
import { ORIGIN, Shop } from './support.js';

export const URL_OF = `${ORIGIN}/weather`;

/** A shop that sells for 0.25 USDC, and an agent with 10 USDC whose connections to the bank and to the shop may lose messages. */
export async function trade() {
  const sim = await world();
  const shop = new Shop(sim, await agentWith(sim, 1));
  await agentWith(sim, 0, { usdc: 10, sol: 1 });
  const bankLine = new LossyFetch((url, init) => sim.fetch(url, init));
  const shopLine = new LossyFetch(shop.fetch);
  const wallet = AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey ?? '');
  const agent = new AgentClient({ baseUrl: 'http://sim.local/api/v1', wallet, fetch: bankLine.fetch });
  const waited: number[] = [];
  const wait = async (ms: number) => void waited.push(ms);
  return {
    sim,
    shop,
    agent,
    bankLine,
    shopLine,
    waited,
    buy: (options: Partial<PayingOptions> = {}) =>
      payingFetch(shopLine.fetch, agent, { maxAmount: 1, wait, ...options }),
    /** The amount spent, in USDC. */
    spent: async () => Math.round((10 - (await agent.account()).checking.usdc) * 1e6) / 1e6,
  };
}

/** The error that a paying client gave up with. */
export async function paymentErrorOf(call: Promise<unknown>): Promise<PaymentError> {
  const error: unknown = await call.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(PaymentError);
  expect((error as PaymentError).message).toBe(PAYMENT_ERRORS[(error as PaymentError).code]);
  return error as PaymentError;
}
