/** The program's input: one JSON object as its first argument. */
export const told = JSON.parse(process.argv[2] ?? '{}');

/** Prints one line of JSON for the parent process. */
export function tell(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Serves a Hono app on a free loopback port until SIGTERM, and prints its URL. */
export async function serveApp(app) {
  const { serve } = await import('@hono/node-server');
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    tell({ url: `http://127.0.0.1:${port}` }),
  );
  process.once('SIGTERM', () => process.exit(0));
}

/** A fetch that records the headers of the last request with a payment. */
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

/** Prints the result of a purchase. */
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
