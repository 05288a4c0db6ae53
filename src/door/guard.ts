import { isIP } from 'node:net';

// Names that were right: clients send the same one over and over, and taking it apart costs microseconds.
const OWN = new Set<string>();
const OWN_LIMIT = 1_000;

/** The name in a Host header or an authority, without port and brackets; null when it is none. */
function hostName(authority: string): string | null {
  try {
    return new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return null;
  }
}

/** Whether only this machine answers to a name. */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/**
 * Whether a request was meant for this server: its Host is an address, a loopback name or the host that the server listens on. A
 * page whose own name was made to point here (DNS rebinding) sends that name.
 */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  if (header === undefined) return false;
  const key = `${listensOn} ${header}`;
  if (OWN.has(key)) return true;
  const name = hostName(header);
  const isOwn = name !== null && (isIP(name) !== 0 || isLoopbackName(name) || name === listensOn);
  if (isOwn && OWN.size < OWN_LIMIT) OWN.add(key);
  return isOwn;
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
