// A service by x402-hono, version 1, with a given facilitator.
import { Hono } from 'hono';
import { paymentMiddleware } from 'x402-hono';
import { serveApp, told } from './tell.mjs';

const { facilitator, networkV1: network, payTo } = told;
const app = new Hono();
app.use(paymentMiddleware(payTo, { '/weather': { price: '$0.10', network } }, { url: facilitator }));
app.get('/weather', (context) => context.json({ sky: 'clear' }));
await serveApp(app);
