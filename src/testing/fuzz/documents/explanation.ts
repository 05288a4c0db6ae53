import { isObject } from '../../../core/json.js';
import type { Answer } from '../model/types.js';
import type { FuzzWorld } from '../world.js';

/** How an explanation says which rule decided, and what to do about it. Source: docs/events.md. */
const PARTS = [/^Rule [a-z0-9]+\.[a-z]+: \S.{10}/m, /^What to do: \S.{10}/m];
/** Other texts may be shown with escapes. */
const PLAIN = /^[ -~]*$/;

/** What the operator is not told of a refusal; null for nothing. */
export async function unexplained(world: FuzzWorld, refusal: Answer): Promise<string | null> {
  const { code, error, details, requestId } = refusal.body as Record<string, unknown>;
  const { status, body } = await world.control({ command: 'explain', id: String(requestId) });
  const { text, rule } = (isObject(body) ? body : {}) as { text?: unknown; rule?: unknown };
  const what = `the explanation of ${String(code)}`;
  if (status !== 200 || typeof text !== 'string') return `${what} is answered with ${status}`;
  const names = isObject(details) ? Object.keys(details).map((name) => `${name} = `) : [];
  const wanted = [`${refusal.status} ${String(code)}`, `Rule ${String(rule)}: `, ...names];
  const missing = [...wanted, ...(PLAIN.test(String(error)) ? [String(error)] : [])].find(
    (part) => !text.includes(part),
  );
  if (missing !== undefined) return `${what} lacks "${missing}": ${text}`;
  return PARTS.every((part) => part.test(text)) ? null : `${what} has no rule or remedy: ${text}`;
}
