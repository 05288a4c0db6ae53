// @module-tag slow
import { expect, it } from 'vitest';
import { type AgentUnderTest, fuzzAgent } from '../../src/testing/fuzz-library.js';

it('an agent that uses nothing but MCP survives hostile runs', async () => {
  const path = new URL('../../fixtures/agents/mcp.mjs', import.meta.url).href;
  const { mcpAgent } = (await import(path)) as { mcpAgent: AgentUnderTest };
  const result = await fuzzAgent(mcpAgent, { runs: 60, seed: 1 });
  expect(result.found?.text).toBeUndefined();
  expect(result).toMatchObject({ verdict: 'HELD', runs: 60 });
  expect(result.orders.delivered).toBeGreaterThan(40);
}, 120_000);
