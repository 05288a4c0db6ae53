import { describe, expect, it } from 'vitest';
import { operationAt } from '../../src/contract/match-path.js';
import { BASE_PATH, type Endpoint, endpoints } from '../../src/contract/endpoints.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { documentFor, responseCheck, validatorOf } from '../support/contract-check.js';
import { RandomPlay } from '../support/random-play.js';
import { verify } from '../support/receipts.js';
import { world } from '../support/world.js';

/** An answer's schema lists all members: others are unknown to callers. */
function closed(document: ReturnType<typeof documentFor>): typeof document {
  const text = JSON.stringify(document, (_, schema: unknown) =>
    typeof schema === 'object' && schema !== null && 'properties' in schema && 'type' in schema
      ? { additionalProperties: false, ...schema }
      : schema,
  );
  return JSON.parse(text) as typeof document;
}

/** What is wrong with the headers of an answer. Source: RFC 6750, 3.1. */
function headerFlaw({ status, headers }: Response, { code, requestId }: Record<string, unknown>): string {
  const id = headers.get('x-request-id') ?? '';
  const challenge = headers.get('www-authenticate');
  const isRefusedToken = code === 'invalid_token' || code === 'token_expired';
  const wanted = isRefusedToken ? /^Bearer realm="[^"]+", error="invalid_token"$/ : /^Bearer realm="[^"]+"$/;
  if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return 'content-type';
  if (!id.startsWith('req_') || (status !== 200 && id !== requestId)) return `x-request-id ${id}`;
  const fits = status === 401 ? wanted.test(challenge ?? '') : challenge === null;
  return fits ? '' : `www-authenticate ${String(challenge)}`;
}

/** What the explanation of a refusal leaves out: status, code, rule, remedy, numbers. */
function unexplained(sim: Simulator, status: number, body: Record<string, unknown>): string {
  const { code, details, requestId } = body;
  const { text = '', rule } = sim.explain(String(requestId)) ?? {};
  const numbers = Object.keys(details ?? {}).map((name) => `${name} = `);
  const wanted = [`${status} ${String(code)}`, `Rule ${String(rule)}: `, 'What to do: ', ...numbers];
  return wanted.find((part) => !text.includes(part)) ?? '';
}

/** What is seen of the answers of the API. */
interface Seen {
  readonly flaws: string[];
  readonly met: Set<string>;
  readonly done: Set<string>;
}

/** Notes in `flaws` where answers of the API contradict what the service publishes of itself, in `met` their codes, in `done` what succeeded. */
function watch(sim: Simulator, { flaws, met, done }: Seen): void {
  const { variants, bankLimits } = sim.config;
  const document = documentFor(variants, bankLimits);
  const table: Readonly<Record<string, Endpoint>> = endpoints(variants, bankLimits);
  const check = responseCheck(closed(document), table);
  const wrong = validatorOf(document);
  const ask = sim.fetch.bind(sim);
  sim.fetch = async (url, init = {}) => {
    const answer = await ask(url, init);
    const { method = 'GET' } = init;
    const { pathname, href } = new URL(url instanceof Request ? url.url : url, 'http://sim.local');
    const at = operationAt(table, method as 'GET', pathname.slice(BASE_PATH.length));
    if (!pathname.startsWith(BASE_PATH) || at === null) return answer;
    const body = (await answer.clone().json()) as Record<string, unknown>;
    const { code = 'ok' } = body;
    if (code === 'injected_fault') return answer;
    const what = `${at.operation} ${String(code)}`;
    const note = (flaw: string) => flaw !== '' && flaws.push(`${what}: ${flaw}`);
    note(await check(method, href, answer));
    note(headerFlaw(answer, body));
    const { path, auth } = table[at.operation] as Endpoint;
    if (code !== 'ok') {
      if (!met.has(String(code))) note(unexplained(sim, answer.status, body));
      if (code === 'missing_token' && auth === 'none') note('needs no token');
    } else if (typeof init.body === 'string') {
      const schema = ['requestBody', 'content', 'application/json', 'schema'];
      note(
        wrong(['paths', path, method.toLowerCase(), ...schema], JSON.parse(init.body.replace(/^\uFEFF/, ''))),
      );
    }
    met.add(String(code));
    if (code === 'ok') done.add(at.operation);
    if (code === 'ok' && at.operation === 'x402Pay' && !verify(body['receipt'], sim.facts.issuerPublicKey))
      note('signature of the receipt');
    return answer;
  };
}

describe('what the service publishes of itself', () => {
  it.each<[string, SimulatorOptions]>([
    ['as described', {}],
    ['as described, on bankrun', { engine: 'bankrun' }],
    [
      'with switches and limits',
      { variants: { errorStatus: { invalid_amount: 401 } }, limits: { maxLtv: 0.4, tokenSeconds: 7_200 } },
    ],
  ])('holds for every answer of every endpoint to random calls %s', async (_, options) => {
    const sim = await world(options);
    const seen: Seen = { flaws: [], met: new Set(), done: new Set() };
    watch(sim, seen);
    await new RandomPlay(sim, 'published').play(800);
    expect(seen.flaws).toEqual([]);
    expect(seen.met.size).toBeGreaterThan(20);
    expect([...seen.done].toSorted()).toEqual(Object.keys(endpoints(sim.config.variants)).toSorted());
    expect(await sim.invariants()).toEqual([]);
  });
});
