// A service behind the project's paywall: accepts receipts of the bank and standard payments.
import { Hono } from 'hono';
import { AgentClient, AgentWallet } from '../../../dist/index.js';
import {
  Paywall,
  bankAt,
  facilitatorAt,
  honoPaywall,
  receiptIssuerOf,
} from '../../../dist/sdk/x402/index.js';
import { serveApp, told } from './tell.mjs';

const { baseUrl, facilitator, secretKey } = told;
const wallet = AgentWallet.fromSecretKey(secretKey);
const { token } = await new AgentClient({ baseUrl, wallet }).signIn();
const paywall = new Paywall({
  bank: bankAt(baseUrl, token),
  recipient: wallet.address,
  issuer: await receiptIssuerOf(baseUrl),
  price: { amount: 0.1 },
  facilitator: facilitatorAt(facilitator),
  onProblem: (problem) => console.error(problem),
});
const app = new Hono();
app.use(honoPaywall(paywall));
app.get('/weather', (context) => context.json({ sky: 'clear', by: context.get('payment').payer }));
await serveApp(app);
