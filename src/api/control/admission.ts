import { createHash, timingSafeEqual } from 'node:crypto';
import { type Problem, isLoopbackName, isOfForeignPage, isOwnOrigin } from '../origin-guard.js';

/** The path of a world's control interface after its mount: in any version, and in this version. */
export const CONTROL_PREFIX = '/_sim/';
export const CONTROL_PATH = '/_sim/v1';

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Why a request lacks the required token; null when it has the token, or none is required. */
export function tokenObjection(request: Request, token: string | null): Problem | null {
  if (token === null) return null;
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given !== undefined && same(given, token)) return null;
  return {
    status: 401,
    code: 'control_token_required',
    message: 'Send Authorization: Bearer <token> with the token of --control-token.',
  };
}

function refuse(code: string, message: string): Problem {
  return { status: 403, code, message };
}

/** Why a browser page may not send a request, according to its headers; null when it may. */
export function foreignPage({ headers }: Request): Problem | null {
  const site = headers.get('sec-fetch-site');
  return isOfForeignPage(site)
    ? refuse('foreign_origin', `The request is from a page of another origin (Sec-Fetch-Site: ${site}).`)
    : null;
}

/** The host that a server listens on, and the token that its control interface requires, if any. */
interface ControlledServer {
  readonly host: string;
  readonly token: string | null;
}

/** Why a request from outside may not reach the control interface, whatever its token; null when it may. */
export function controlObjection(request: Request, server: ControlledServer): Problem | null {
  return foreignPage(request) ?? ownObjection(request, server);
}

/**
 * Why a request from outside may not get a file of the inspector. The rules are the control interface's, except that any page may link to
 * it: a link shows it to the user and not to scripts.
 */
export function inspectorObjection(request: Request, server: ControlledServer): Problem | null {
  const { headers } = request;
  const isLink = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  return (isLink ? null : foreignPage(request)) ?? ownObjection(request, server);
}

function ownObjection(request: Request, server: ControlledServer): Problem | null {
  const origin = request.headers.get('origin') ?? undefined;
  if (!isOwnOrigin(origin)) {
    return refuse('foreign_origin', `A page of ${origin ?? ''} may not control the world.`);
  }
  if (server.token === null && !isLoopbackName(server.host)) {
    return refuse(
      'control_token_required',
      'Controlling the world from beyond loopback requires a token: start with --control-token.',
    );
  }
  return null;
}
