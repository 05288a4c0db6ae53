const PATIENCE_MS = 20_000;

/** Sends a request and discards the response or error. */
export async function ask(url: string, init: RequestInit = {}): Promise<number> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Makes `count` calls, `atOnce` at a time. */
export async function many(
  count: number,
  atOnce: number,
  call: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await call(next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** A request that posts JSON. */
export const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
});
