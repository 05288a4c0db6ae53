/** What a program is told: one JSON object as its first argument. */
export const told = JSON.parse(process.argv[2] ?? '{}');

/** Tells whoever started the program: one line of JSON. */
export function tell(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Serves a Hono app on a free port of loopback until the program is ended, and tells its address. */
export async function serveApp(app) {
  const { serve } = await import('@hono/node-server');
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    tell({ url: `http://127.0.0.1:${port}` }),
  );
  process.once('SIGTERM', () => process.exit(0));
}

/** A fetch that remembers the headers of the last request with a payment. */
export function recorder() {
  const recorded = { payment: null };
  const record = async (input, init) => {
    const { headers } = new Request(input, init);
    for (const name of ['payment-signature', 'x-payment', 'x-payment-receipt'])
      if (headers.has(name)) recorded.payment = { [name]: headers.get(name) };
    return fetch(input, init);
  };
  return { recorded, fetch: record };
}

/** Tells what a purchase came to. */
export async function tellAnswer(response, recorded) {
  const text = await response.text();
  const result = response.headers.get('payment-response') ?? response.headers.get('x-payment-response');
  tell({
    status: response.status,
    text,
    payment: recorded.payment,
    result: result === null ? null : JSON.parse(Buffer.from(result, 'base64').toString()),
  });
}
