import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { backendHere } from '../../../src/mcp/in-process.js';
import { payingFetch } from '../../../src/sdk/x402/index.js';
import { inProcess, serviceOf, tell } from '../../mcp/support.js';
import { listening } from '../../support/listening.js';
import { agentWith, world, worldWithAgent } from '../../support/world.js';

const MEBIBYTE = 1_024 * 1_024;

/** A service whose every 402 is a few kilobytes of gzip, 64 MiB when inflated. Returns its URL. */
async function bomb(): Promise<string> {
  const body = gzipSync(`{"x402Version":1,"accepts":[${' '.repeat(64 * MEBIBYTE)}]}`);
  const server = createServer((_request, response) => {
    response.writeHead(402, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
  });
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}/`;
}

/** A fetch that counts the bytes that are read of bodies, after decompression. */
function counting() {
  const read = { bytes: 0 };
  const fetcher = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        read.bytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(counted) ?? null, response);
  };
  return { read, fetcher };
}

it('payingFetch leaves a 402 that inflates hugely unread', { tags: ['slow'] }, async () => {
  const { agent } = await worldWithAgent({ usdc: 5 });
  const { read, fetcher } = counting();
  const buy = payingFetch(fetcher, agent, { maxAmount: 1 });
  await expect(buy(await bomb())).rejects.toMatchObject({ code: 'unsupported_payment' });
  expect(read.bytes).toBeLessThan(MEBIBYTE);
});

it('fetch_paid reads a 402 that inflates hugely up to a limit', { tags: ['slow'] }, async () => {
  const sim = await world();
  await agentWith(sim, 0, { usdc: 5 });
  const { read, fetcher } = counting();
  const backend = { ...backendHere(sim, (request) => sim.fetch(request)), fetchService: fetcher };
  const client = await inProcess(sim, { service: serviceOf(sim, backend) });
  const url = await bomb();
  for (const from of ['account', 'wallet'] as const) {
    const { content } = await tell(client, 'fetch_paid', { url, max_amount: 1, pay_from: from });
    expect(content['error'], from).toMatchObject({ code: 'unsupported_payment' });
  }
  expect(read.bytes).toBeLessThan(MEBIBYTE);
});
