// A service by @x402/hono, version 2, with a given facilitator.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { Hono } from 'hono';
import { serveApp, told } from './tell.mjs';

const { facilitator, network, payTo } = told;
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }));
server.register(network, new ExactSvmScheme());
const accepts = { scheme: 'exact', price: '$0.10', network, payTo };
const app = new Hono();
app.use(paymentMiddleware({ 'GET /weather': { accepts, description: 'the weather' } }, server));
app.get('/weather', (context) => context.json({ sky: 'clear' }));
await serveApp(app);
