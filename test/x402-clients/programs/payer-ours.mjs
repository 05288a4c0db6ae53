// Pays by payingFetch, from an account at the bank.
import { AgentClient, AgentWallet } from '../../../src/index.ts';
import { payingFetch } from '../../../src/sdk/x402/index.ts';
import { recorder, tellAnswer, told } from './tell.mjs';

const { url, baseUrl, secretKey, recipient } = told;
const agent = new AgentClient({ baseUrl, wallet: AgentWallet.fromSecretKey(secretKey) });
const line = recorder();
const pay = payingFetch(line.fetch, agent, { maxAmount: 0.1, recipient });
await tellAnswer(await pay(url), line.recorded);
