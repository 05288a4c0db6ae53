import { describe, expect, it } from 'vitest';
import type { FuzzTarget } from '../../../src/testing/fuzz-library.js';
import type { DocumentName } from '../../../src/testing/fuzz/world.js';
import { Description, type OpenApi } from '../../../src/testing/fuzz/documents/openapi.js';
import { unexplained } from '../../../src/testing/fuzz/documents/explanation.js';
import { headerFlaw } from '../../../src/testing/fuzz/documents/headers.js';
import { documentsOf } from '../../../src/testing/fuzz/documents/documents.js';
import { inProcessFuzz, openFuzzWorld } from '../../../src/testing/drivers/in-process-fuzz.js';
import { fuzzedWith } from './lying.js';

const OPTIONS = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} } as const;

async function flawIn(target: FuzzTarget): Promise<string | null> {
  const world = await target.open(OPTIONS);
  try {
    return (await documentsOf(world)).flaw;
  } finally {
    await world.close();
  }
}

/** A service with one changed document. */
function changed(name: DocumentName, from: string | RegExp, to: string): FuzzTarget {
  return fuzzedWith((world) => ({
    document: async (asked) => {
      const { status, type, text } = await world.document(asked);
      return { status, type, text: asked === name ? text.replace(from, to) : text };
    },
  }));
}

const FLAWS: readonly (readonly [string, DocumentName, string | RegExp, string, RegExp])[] = [
  [
    'another treasury',
    'docs',
    /("treasury_address":")[^"]+/,
    '$1nobody',
    /docs.treasury_address is "nobody"/,
  ],
  ['another limit', 'docs', /("dailyWithdrawalUsd":)\d+/, '$17', /docs.limits/],
  ['an empty text', 'agent.json', /("description":")[^"]+/, '$1', /agent.json.description says nothing/],
  ['an empty step', 'onboard', /("title":")[^"]+/, '$1', /onboard.steps.0.title says nothing/],
  ['another base URL', 'onboard', /http:\/\/[^/]+/g, 'http://elsewhere', /onboard does not say http/],
  ['a missing operation', 'openapi.json', '"/agent/loans":', '"/agent/credits":', /list other operations/],
  ['a page without a name', 'docs page', /<dt>Treasury<\/dt>/, '<dt></dt>', /empty element: <dt><\/dt>/],
  ['an unknown path without its name', 'unknown path', /,"path":"[^"]+"/, '', /an unknown path is answered/],
  ['an unknown path as a wrong body', 'unknown path', 'not_found', 'invalid_request', /answered with 404/],
  ['a page without a fact', 'docs page', /<dd>solana:[^<]+/, '<dd>x', /does not say solana:/],
];

describe('documents of a service', () => {
  it('have no flaw', async () => {
    expect(await flawIn(inProcessFuzz)).toBeNull();
  });

  it('are read without a trace in the world', async () => {
    const { world, sim } = await openFuzzWorld(OPTIONS);
    const nextId = async () => (await sim.fetch('/api/v1/health')).headers.get('x-request-id');
    expect(await nextId()).toBe('req_00000001');
    await documentsOf(world);
    expect(await nextId()).toBe('req_00000002');
    await world.close();
  });

  it.each(FLAWS)('show %s', async (_what, name, from, to, words) => {
    expect(await flawIn(changed(name, from, to))).toMatch(words);
  });

  it.each(['openapi.json', 'docs', 'docs page', 'onboard'] as const)(
    'show that %s is no such document',
    async (name) => {
      const target = fuzzedWith((world) => ({
        document: async (asked) => {
          const document = await world.document(asked);
          return asked === name ? { ...document, type: 'text/plain' } : document;
        },
      }));
      expect(await flawIn(target)).toMatch(/is text\/plain/);
    },
  );
});

const BAD_EXPLANATIONS: readonly (readonly [string, RegExp | string, string, RegExp])[] = [
  ['no rule', /Rule .*/, '', /lacks "Rule auth.token: "/],
  ['a rule without words', /(Rule [a-z.]+: ).*/, '$1', /no rule or remedy/],
  ['no remedy', /What to do: .*/, 'What to do: ', /no rule or remedy/],
  ['another status', '401', '400', /lacks "401 missing_token"/],
];

describe('the explanation of a refusal', () => {
  async function said(target: FuzzTarget): Promise<string | null> {
    const world = await target.open(OPTIONS);
    try {
      const none = { authorization: null, params: {}, query: {}, key: null, body: undefined };
      const refusal = await world.call({ operation: 'account', ...none }, null);
      return refusal === null ? 'no answer' : await unexplained(world, refusal);
    } finally {
      await world.close();
    }
  }

  it('has rule, remedy and numbers', async () => {
    expect(await said(inProcessFuzz)).toBeNull();
  });

  it.each(BAD_EXPLANATIONS)('is found to have %s', async (_what, from, to, words) => {
    const target = fuzzedWith((world) => ({
      control: async (call) => {
        const { status, body } = await world.control(call);
        const { text } = body as { text: string };
        return { status, body: { ...(body as object), text: text.replace(from, to) } };
      },
    }));
    expect(await said(target)).toMatch(words);
  });
});

describe('the headers of an answer', () => {
  const headers = { 'content-type': 'application/json; charset=UTF-8', 'x-request-id': 'req_1' };
  const refusal = (code: string, challenge?: string) => ({
    status: 401,
    body: { code, requestId: 'req_1' },
    headers: { ...headers, ...(challenge === undefined ? {} : { 'www-authenticate': challenge }) },
  });
  const REFUSED = 'Bearer realm="bank", error="invalid_token"';

  it('fit its body', () => {
    expect(headerFlaw({ status: 200, body: {}, headers })).toBeNull();
    expect(headerFlaw({ status: 200, body: {} })).toBeNull();
    expect(headerFlaw(refusal('token_expired', REFUSED))).toBeNull();
    expect(headerFlaw(refusal('missing_token', 'Bearer realm="bank"'))).toBeNull();
  });

  it('are found to name another type, request or challenge', () => {
    const other = (more: object) => headerFlaw({ status: 200, body: {}, headers: { ...headers, ...more } });
    expect(other({ 'content-type': 'text/html' })).toMatch(/content-type of 200/);
    expect(other({ 'x-request-id': '' })).toMatch(/x-request-id of 200/);
    expect(other({ 'www-authenticate': REFUSED })).toMatch(/www-authenticate of 200/);
    expect(headerFlaw(refusal('missing_token'))).toMatch(/www-authenticate of 401 is missing/);
    expect(headerFlaw(refusal('missing_token', REFUSED))).toMatch(/www-authenticate of 401/);
    expect(headerFlaw(refusal('invalid_token', 'Bearer realm="bank"'))).toMatch(/www-authenticate of 401/);
    const foreign = { ...refusal('missing_token', 'Bearer realm="bank"'), body: { requestId: 'req_2' } };
    expect(headerFlaw(foreign)).toMatch(/x-request-id of 401/);
  });
});

describe('an OpenAPI document', () => {
  const answer = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const refusal = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };
  const media = (schema: object, ...names: string[]) => ({
    content: { 'application/json': { schema } },
    headers: Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, {}])),
  });
  const parameters = [{ name: 'Idempotency-Key', description: 'A repeat has no second effect' }];
  const description = (more: object = {}, amount: object = { description: 'How much' }) =>
    new Description({
      paths: {
        '/pay': {
          post: {
            operationId: 'withdraw',
            summary: 'Pays',
            security: [{ bearer: [] }],
            requestBody: media({
              type: 'object',
              properties: { amount: { type: ['number', 'null'], ...amount } },
            }),
            parameters,
            responses: {
              200: media(answer),
              400: media(refusal),
              401: media(refusal, 'WWW-Authenticate'),
            },
            ...more,
          },
        },
      },
      components: { schemas: {} },
    } as unknown as OpenApi);
  const call = {
    operation: 'withdraw',
    authorization: 'Bearer x',
    params: {},
    query: {},
    key: null,
    body: undefined,
  } as const;
  const done = { status: 200, body: { sum: 1 } };
  const refused = (code: string) => ({ status: 401, body: { code } });

  it('agrees with answers that it describes', () => {
    expect(description().contradiction({ ...call, body: { amount: null } }, done)).toBeNull();
    expect(description().contradiction(call, refused('missing_token'))).toBeNull();
  });

  it('is contradicted by answers, refusals and statuses of another form', () => {
    expect(description().contradiction(call, { status: 200, body: { sum: '1' } })).toMatch(/otherwise.*sum/);
    expect(description().contradiction(call, { status: 400, body: {} })).toMatch(/otherwise.*code/);
    expect(description().contradiction(call, { status: 418, body: {} })).toMatch(/lacks status 418/);
    expect(description().contradiction({ ...call, operation: 'deposit' }, done)).toMatch(/lacks deposit/);
    const more = { status: 200, body: { sum: 1, fee: 2 } };
    expect(description().contradiction(call, more)).toMatch(/otherwise.*fee/);
  });

  it('is contradicted by a request that is taken and not described', () => {
    expect(description().contradiction({ ...call, body: { amount: 'all' } }, done)).toMatch(
      /does not take.*amount/,
    );
    expect(
      description().contradiction({ ...call, body: { amount: 'all' } }, refused('invalid_request')),
    ).toBeNull();
  });

  it('is contradicted by who needs a token', () => {
    expect(description().contradiction({ ...call, authorization: null }, done)).toMatch(/needs a token/);
    const open = description({ security: [], parameters: [] });
    expect(open.contradiction(call, refused('missing_token'))).toMatch(/needs no token/);
  });

  it('explains operations, parameters and members', () => {
    expect(description().gap()).toBeNull();
    expect(description({ responses: { 200: media({}) } }).gap()).toMatch(/the answer of withdraw/);
    const requestBody = { content: { 'application/json': {} } };
    expect(description({ requestBody }).gap()).toMatch(/the body of withdraw/);
    expect(description({ summary: '' }).gap()).toMatch(/summary of withdraw/);
    expect(description({}, { description: '' }).gap()).toMatch(/amount of withdraw/);
    expect(description({ security: [] }).gap()).toMatch(/Idempotency-Key of withdraw/);
    expect(description({ parameters: [] }).gap()).toMatch(/Idempotency-Key of withdraw/);
    expect(description({ responses: { 401: media(refusal) } }).gap()).toMatch(/WWW-Authenticate of withdraw/);
    expect(description({ parameters: [...parameters, { name: 'limit' }] }).gap()).toMatch(
      /limit of withdraw/,
    );
  });
});
