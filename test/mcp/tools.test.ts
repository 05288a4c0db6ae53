import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { type Endpoint, endpoints, onlyReads } from '../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../src/core/domain/variants.js';
import { bankTool, bankTools } from '../../src/mcp/bank-tools.js';
import { backendAt } from '../../src/mcp/remote.js';
import { toolName } from '../../src/mcp/tool.js';
import { agentWith, world } from '../support/world.js';
import { inProcess, serviceOf, tell } from './support.js';

const table: Readonly<Record<string, Endpoint>> = endpoints(DEFAULT_VARIANTS);

describe('bank tools', () => {
  it('are the operations of the contract, without those of sign-in', () => {
    const expected = Object.entries(table).filter(([, { area }]) => area !== 'auth');
    expect(bankTools(table).map(({ definition }) => definition.name)).toEqual(
      expected.map(([id]) => toolName(id)),
    );
  });

  it('come with an endpoint that is added', () => {
    const { definition } = bankTool('giftCardBuy', {
      method: 'POST',
      path: '/agent/gift-cards/{id}',
      area: 'account',
      auth: 'bearer',
      summary: 'Buy a gift card',
      spends: 'recipient',
      params: z.object({ id: z.string() }),
      body: z.object({ amount: z.number(), token: z.string() }),
      response: z.object({ card: z.string() }),
    });
    expect(definition).toMatchObject({
      name: 'gift_card_buy',
      title: 'Gift card buy',
      description: expect.stringMatching(/^Buy a gift card\. Money leaves/),
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          amount: { type: 'number' },
          idempotency_key: { type: 'string' },
        },
        required: ['amount', 'token', 'id'],
      },
      outputSchema: { type: 'object', properties: { card: { type: 'string' } } },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    });
  });

  it('name members of path, query and body without a conflict', () => {
    for (const { params, query, body } of Object.values(table)) {
      const names = [params, query, body].flatMap((schema) => Object.keys(schema?.shape ?? {}));
      expect(new Set([...names, 'idempotency_key']).size).toBe(names.length + 1);
    }
  });

  it('are marked as what they do: reads, and those that send money away', () => {
    const marked = (hint: 'readOnlyHint' | 'destructiveHint') =>
      bankTools(table)
        .filter(({ definition }) => definition.annotations[hint])
        .map(({ definition }) => definition.name);
    expect(marked('destructiveHint')).toEqual(['withdraw', 'x402_pay']);
    const reads = Object.entries(table).filter(([, endpoint]) => onlyReads(endpoint));
    expect(marked('readOnlyHint')).toEqual(reads.map(([id]) => toolName(id)));
  });
});

describe.each(['in process', 'over HTTP'])('bank tools of a world with switches and limits, %s', (place) => {
  it('have them in their schemas, and return what only it has', async () => {
    const sim = await world({
      variants: { review: 'auto', overview: 'A', duration: 'required' },
      limits: { lateFeeUsd: 5, historyRows: 1_000, minLoanUsd: 10, maxLoanUsd: 500 },
    });
    await agentWith(sim, 0, { usdc: 50 });
    await sim.linkIdentity(sim.wallets[0]?.address ?? '', { x: true, github: true });
    await sim.agent(0).applyForLoan({ amount: 20, purpose: 'task', duration: 1 });
    await sim.advance('2d');
    const backend =
      place === 'over HTTP' ? await backendAt((await sim.listen()).origin, undefined) : undefined;
    const client = await inProcess(sim, { service: serviceOf(sim, backend) });
    const { tools } = await client.listTools();
    const named = (tool: string) => tools.find(({ name }) => name === tool);
    const member = (tool: string, name: string) => named(tool)?.inputSchema.properties?.[name];
    expect(Object.keys(named('account')?.outputSchema?.properties ?? {})).not.toContain('yield_earned');
    expect(named('loan_apply')?.inputSchema.required).toContain('duration');
    expect((await tell(client, 'account')).isError).toBe(false);
    expect(member('loan_apply', 'amount')).toMatchObject({ minimum: 10, maximum: 500 });
    expect(member('transactions', 'limit')).toMatchObject({ maximum: 1_000 });
    const { transactions } = (await tell(client, 'transactions', { limit: 500 })).content;
    expect(transactions).toContainEqual(expect.objectContaining({ type: 'late_fee' }));
  });
});

describe('world tools', () => {
  it('are there only for a client that was started with them', async () => {
    const sim = await world();
    const names = async (isWorld: boolean) =>
      (await (await inProcess(sim, { given: { world: isWorld } })).listTools()).tools.map(({ name }) => name);
    expect((await names(false)).filter((name) => name.startsWith('world_'))).toEqual([]);
    expect(await names(true)).toContain('world_advance');
    const client = await inProcess(sim);
    await expect(tell(client, 'world_advance', { by: '1d' })).rejects.toThrow('Unknown tool world_advance');
  });

  it('refuse with the code of the control interface', async () => {
    const client = await inProcess(await world(), { given: { world: true } });
    const told = await tell(client, 'world_advance', { by: '-1d' });
    expect(told).toMatchObject({ isError: true, content: { error: { code: 'invalid_request' } } });
  });
});

it('every tool refuses members that it does not have, and its schema says so', async () => {
  const client = await inProcess(await world(), { given: { world: true } });
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(80);
  for (const { name, inputSchema } of tools) {
    expect(inputSchema['additionalProperties'] ?? inputSchema['unevaluatedProperties'], name).toBe(false);
    for (const member of ['recipiant', 'body', 'toString', 'x\ny']) {
      const told = await tell(client, name, JSON.parse(`{${JSON.stringify(member)}: "x"}`));
      if ('body' in (inputSchema.properties ?? {}) && member === 'body') continue;
      expect(told.content['error'], `${name} ${member}`).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(
          `${member.replace('\n', String.raw`\n`)}: is not a member of ${name}`,
        ),
      });
    }
  }
  const { content } = await tell(client, 'x402_pay', { recipiant: 'x' });
  expect(content['error'].message).toBe('recipiant: is not a member of x402_pay; did you mean recipient?');
  const sent = await tell(client, 'wallet_send', { destination: 'x' });
  expect(sent.content['error'].message).toMatch(
    /^destination: is not a member of wallet_send; it has .*\bto\b/,
  );
});

it('the wallet of a connection signs in by itself, and no result contains its token', async () => {
  const sim = await world();
  const tokens = new Set<string>();
  const fetch = sim.fetch;
  sim.fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://sim.local'), init);
    const [, token] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token !== undefined) tokens.add(token);
    return fetch(request);
  };
  const client = await inProcess(sim, { given: { world: true } });
  const texts: string[] = [];
  const { tools } = await client.listTools();
  await tell(client, 'account');
  for (const { name, inputSchema } of tools) {
    const args = 'id' in (inputSchema.properties ?? {}) ? { id: 'x' } : {};
    texts.push((await tell(client, name, args)).text);
  }
  for (const { uri } of (await client.listResources()).resources)
    texts.push(JSON.stringify(await client.readResource({ uri })));
  expect(tokens.size).toBe(1);
  for (const token of tokens) for (const text of texts) expect(text).not.toContain(token);
});

it('acts as the wallet that its URL or command line names', async () => {
  const sim = await world();
  const addresses = [];
  for (const wallet of [0, 7])
    addresses.push((await tell(await inProcess(sim, { wallet }), 'account')).content['wallet']);
  expect(addresses).toEqual([sim.wallets[0]?.address, sim.wallets[7]?.address]);
});
