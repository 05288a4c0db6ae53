// Pays by payingFetch, from an account at the bank.
import { AgentClient, AgentWallet } from '../../../dist/index.js';
import { payingFetch } from '../../../dist/sdk/x402/index.js';
import { recorder, tellAnswer, told } from './tell.mjs';

const { url, baseUrl, secretKey, recipient } = told;
const agent = new AgentClient({ baseUrl, wallet: AgentWallet.fromSecretKey(secretKey) });
const line = recorder();
const pay = payingFetch(line.fetch, agent, { maxAmount: 0.1, recipient });
await tellAnswer(await pay(url), line.recorded);
