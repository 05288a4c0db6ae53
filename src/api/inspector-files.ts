import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { PACKAGE_ROOT } from '../core/package-root.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=UTF-8',
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.svg': 'image/svg+xml',
};

/** The page loads its own files only, runs no inline script, and cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const ASSETS = '/inspector/assets/';

/** The inspector's file at a path without mount and query: an asset, or the page, whose views have paths of their own. Null for an unknown asset. */
export type InspectorFiles = (path: string) => Response | null;

/**
 * The files of the inspector's page in this package; null when they are not built. They contain nothing of a world: the page requests
 * everything from the control interface. All are read now, so that files of a later build do not mix with them.
 */
export function inspectorFiles(): InspectorFiles | null {
  const folder = join(PACKAGE_ROOT, 'dist', 'inspector');
  const assetsFolder = join(folder, 'assets');
  // A build writes the page last.
  if (!existsSync(join(folder, 'index.html')) || !existsSync(assetsFolder)) return null;
  const index = readFileSync(join(folder, 'index.html'));
  // By name; names contain a hash of the content.
  const assets = new Map(
    readdirSync(assetsFolder).map((name) => [name, readFileSync(join(assetsFolder, name))]),
  );
  return (path) => {
    const name = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : null;
    const file = name === null ? index : assets.get(name);
    if (file === undefined) return null;
    return new Response(new Uint8Array(file), {
      headers: {
        ...HEADERS,
        'content-type': TYPES[extname(name ?? 'index.html')] ?? 'application/octet-stream',
        'cache-control': name === null ? 'no-cache' : 'public, max-age=31536000, immutable',
        // The root is a page for browsers only.
        ...(name === null ? { vary: 'Accept' } : {}),
      },
    });
  };
}
