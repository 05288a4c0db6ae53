/** `fetch`, or a replacement. */
export type FetchLike = (url: string, init?: RequestInit) => Promise<Response>;

/** Node's `fetch`, but its error says where nothing listens; the error still begins with `fetch failed` and has a cause. */
export async function fetchFrom(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause =
      error instanceof TypeError ? (error.cause as { readonly code?: string } | undefined) : undefined;
    if (cause?.code !== 'ECONNREFUSED') throw error;
    const { origin } = new URL(url);
    // oxlint-disable-next-line preserve-caught-error -- callers look for fetch's own cause, and its code
    throw new TypeError(`fetch failed: nothing listens at ${origin}; start a simulator with npx sim start`, {
      cause,
    });
  }
}

/** A base URL without the slash at its end. Throws TypeError for one that `fetch` cannot call. */
export function trimmedUrl(name: string, url: string): string {
  if (/^https?:\/\//i.test(url)) return url.replace(/\/$/, '');
  throw new TypeError(`${name}: must begin with http:// or https://, not ${url}`);
}
