import { readFileSync, readdirSync } from 'node:fs';
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

/** The files of the inspector's page. They contain nothing of a world: the page requests everything from the control interface. */
export class InspectorFiles {
  readonly #index: Uint8Array;
  /** By name; names contain a hash of the content. */
  readonly #assets: ReadonlyMap<string, Uint8Array>;

  /** Reads all files, so that files of a later build do not mix with them. Throws Node's error when the page is not built. */
  constructor(folder: string) {
    this.#index = readFileSync(join(folder, 'index.html'));
    const assets = join(folder, 'assets');
    this.#assets = new Map(readdirSync(assets).map((name) => [name, readFileSync(join(assets, name))]));
  }

  /** The file at a path without mount and query: an asset, or the page, whose views have paths of their own. Null for an unknown asset. */
  at(path: string): Response | null {
    const name = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : null;
    const file = name === null ? this.#index : this.#assets.get(name);
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
  }
}

/** The inspector's files in this package; null when they are not built. */
export function inspectorFiles(): InspectorFiles | null {
  try {
    return new InspectorFiles(join(PACKAGE_ROOT, 'dist', 'inspector'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
