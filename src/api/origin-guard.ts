import { isIP } from 'node:net';

/** Whether only this machine answers to a name. */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** Where a server listens, and the other names that it answers to. */
export interface ListensOn {
  readonly host: string;
  readonly allowHosts: readonly string[];
}

/** Why a request is not for this server. */
export interface HostObjection {
  readonly status: 400 | 403;
  readonly code: 'invalid_host' | 'foreign_host';
  readonly message: string;
}

// A name or an address, perhaps with a port: what browsers and clients send, and nothing that only a lenient parser understands.
const AUTHORITY = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The name in a Host header or an authority, without port and brackets; null when it is none. */
function hostName(authority: string): string | null {
  if (!AUTHORITY.test(authority)) return null;
  try {
    return new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return null;
  }
}

// Clients send the same header over and over, and taking it apart costs microseconds.
const REMEMBERED_HOSTS = 1_000;

/**
 * Tells why a request is not meant for a server, by its Host header; null when it is. A host may be an address, a loopback name, the
 * host that the server listens on, or a name that was allowed. A page whose own name was made to point here (DNS rebinding) sends that
 * name.
 */
export function hostGuard({
  host,
  allowHosts,
}: ListensOn): (header: string | undefined) => HostObjection | null {
  const names = new Set([host, ...allowHosts].map((name) => name.toLowerCase()));
  const own = new Set<string>();
  return (header = '') => {
    if (own.has(header)) return null;
    const name = hostName(header);
    if (name === null) {
      const message = 'The Host header must be an address or a name, perhaps with a port.';
      return { status: 400, code: 'invalid_host', message };
    }
    if (isIP(name) === 0 && !isLoopbackName(name) && !names.has(name)) {
      const message = `Host ${header} is not this server: use its address, or localhost, or start it with --allow-host ${name}.`;
      return { status: 403, code: 'foreign_host', message };
    }
    if (own.size < REMEMBERED_HOSTS) own.add(header);
    return null;
  };
}

/** Whether a browser says that a page of another origin sends a request; programs say nothing of the kind. */
export function isOfForeignPage(secFetchSite: string | null | undefined): boolean {
  return secFetchSite === 'cross-site' || secFetchSite === 'same-site';
}

/** Whether a browser page may talk to this server: pages of this machine only. Others send no Origin. */
export function isOwnOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    const { protocol, hostname } = new URL(origin);
    return /^https?:$/.test(protocol) && isLoopbackName(hostname.replace(/^\[|\]$/g, ''));
  } catch {
    return false;
  }
}
