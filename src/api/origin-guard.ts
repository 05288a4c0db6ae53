import { isIP } from 'node:net';

/** Whether a name always refers to this machine. An IPv6 address may have brackets, as in a URL. */
export function isLoopbackName(name: string): boolean {
  return name.endsWith('.localhost') || /^(?:localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/.test(name);
}

/** Where a server listens, and the additional host names that it accepts. */
export interface ListensOn {
  readonly host: string;
  readonly allowHosts: readonly string[];
}

/** Why a request was not admitted or not carried out. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

// A name or an address, optionally with a port: what browsers and clients send, and nothing that only a lenient parser accepts.
const AUTHORITY = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The host in a Host header or an authority, without port and brackets; null when it is invalid. */
function hostName(authority: string): string | null {
  if (!AUTHORITY.test(authority)) return null;
  try {
    return new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return null;
  }
}

// Clients repeat the same header, and parsing it costs microseconds.
const REMEMBERED_HOSTS = 1_000;

/**
 * Returns a check of the Host header: it returns why a request is not for this server, or null when it is. A host may be an address, a
 * loopback name, the host that the server listens on, or an allowed name. A page whose own name resolves to this server (DNS rebinding)
 * sends that name, which is refused.
 */
export function hostGuard({ host, allowHosts }: ListensOn): (header: string | undefined) => Problem | null {
  const names = new Set([host, ...allowHosts].map((name) => name.toLowerCase()));
  const own = new Set<string>();
  return (header = '') => {
    if (own.has(header)) return null;
    const name = hostName(header);
    if (name === null) {
      const message = 'The Host header must be an address or a name, optionally with a port.';
      return { status: 400, code: 'invalid_host', message };
    }
    if (isIP(name) === 0 && !isLoopbackName(name) && !names.has(name)) {
      const message = `Host ${header} is not this server: use its address, or localhost, or start the server with --allow-host ${name}.`;
      return { status: 403, code: 'foreign_host', message };
    }
    if (own.size < REMEMBERED_HOSTS) own.add(header);
    return null;
  };
}

/** Whether a browser reports that a page of another origin sent a request; programs send no such header. */
export function isOfForeignPage(secFetchSite: string | null | undefined): boolean {
  return secFetchSite === 'cross-site' || secFetchSite === 'same-site';
}

/** Normalizes the origins of pages to the form that browsers send. Throws RangeError for text that is not an origin. */
export function pageOrigins(given: readonly string[]): ReadonlySet<string> {
  for (const text of given)
    if (!/^https?:/.test(text) || !URL.canParse(text) || new URL(text).origin !== text)
      throw new RangeError(`${text}: expected the origin of a page, such as http://localhost:5173`);
  return new Set(given);
}

/** Whether a browser page may access this server: only pages of this machine. Programs send no Origin. */
export function isOwnOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    const { protocol, hostname } = new URL(origin);
    return /^https?:$/.test(protocol) && isLoopbackName(hostname);
  } catch {
    return false;
  }
}
