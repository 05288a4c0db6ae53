import { counted } from '../core/counted.js';
import { z } from 'zod';
import type { Tool } from '../mcp/tool.js';
import { ToolRefusal } from '../mcp/tool-refusal.js';
import { jsonSchema } from '../mcp/schemas.js';
import { PROPERTIES, campaign } from '../testing/fuzz-library.js';

const MAX_RUNS = 100_000;
const NAMES = PROPERTIES.map(({ name }) => name) as [string, ...string[]];

const input = z.strictObject({
  runs: z.int().min(1).max(MAX_RUNS).optional().describe('sequences of calls (default 100)'),
  property: z.enum(NAMES).optional().describe('where to look (default everything)'),
  seed: z.int().min(0).optional().describe('the same seed plays the same sequences (default 1)'),
});

/** How often a campaign reports its progress, in real milliseconds. */
const PROGRESS_MS = 200;

/** `sim fuzz` as a tool. It plays in worlds of its own, so the world of the server stays as it is. */
export const campaignTool: Tool = {
  definition: {
    name: 'world_fuzz',
    title: 'World: fuzz the service',
    description:
      'Make random calls by several agents in worlds of their own, and compare each answer with an independent model of the service. Returns a counterexample, reduced to few steps, or none.',
    inputSchema: jsonSchema(input, 'input'),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async (args, { signal, progress }) => {
    const parsed = input.safeParse(args);
    if (!parsed.success)
      throw new ToolRefusal('invalid_request', parsed.error.issues.map(({ message }) => message).join('; '));
    const { runs = 100, property = 'everything', seed = 1 } = parsed.data;
    let reportedMs = performance.now();
    const summary = await campaign({
      runs,
      property,
      seed,
      signal,
      onProgress: ({ runs: done, steps }) => {
        if (progress === null || performance.now() - reportedMs < PROGRESS_MS) return;
        reportedMs = performance.now();
        // A client that has left hears nothing.
        progress(done, runs, counted(steps, 'step')).catch(() => undefined);
      },
    });
    signal.throwIfAborted();
    await progress?.(summary.runs, runs, counted(summary.steps, 'step'));
    const { found, steps, outcomes } = summary;
    return { verdict: found === null ? 'HELD' : 'FAILED', runs: summary.runs, steps, found, outcomes };
  },
};
