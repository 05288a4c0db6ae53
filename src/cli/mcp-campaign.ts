import { counted } from '../core/counted.js';
import { z } from 'zod';
import type { Tool } from '../mcp/tool.js';
import { jsonSchema, parsedInput } from '../mcp/schemas.js';
import { PROPERTIES, campaign } from '../testing/fuzz-library.js';

const MAX_RUNS = 100_000;
const NAMES = PROPERTIES.map(({ name }) => name) as [string, ...string[]];

const input = z.strictObject({
  runs: z.int().min(1).max(MAX_RUNS).optional().describe('sequences of calls (default 100)'),
  property: z.enum(NAMES).optional().describe('property to test (default: all)'),
  seed: z.int().min(0).optional().describe('random seed; equal seeds play equal sequences (default 1)'),
});

/** Interval between progress reports in real milliseconds. */
const PROGRESS_MS = 200;

/** `sim fuzz` as a tool. It runs in worlds of its own and does not change the world of the server. */
export const campaignTool: Tool = {
  definition: {
    name: 'world_fuzz',
    title: 'World: fuzz the service',
    description:
      'Make random calls as several agents in separate worlds, and compare each response with an independent model of the service. Returns a counterexample, reduced to a few steps, if a rule is broken.',
    inputSchema: jsonSchema(input, 'input'),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: async (args, { signal, progress }) => {
    const { runs = 100, property = 'everything', seed = 1 } = parsedInput(input, args);
    let reportedMs = performance.now();
    const summary = await campaign({
      runs,
      property,
      seed,
      signal,
      onProgress: ({ runs: done, steps }) => {
        if (progress === null || performance.now() - reportedMs < PROGRESS_MS) return;
        reportedMs = performance.now();
        // A client that has disconnected gets no progress reports.
        progress(done, runs, counted(steps, 'step')).catch(() => undefined);
      },
    });
    signal.throwIfAborted();
    await progress?.(summary.runs, runs, counted(summary.steps, 'step'));
    const { found, steps, outcomes } = summary;
    return { verdict: found === null ? 'HELD' : 'FAILED', runs: summary.runs, steps, found, outcomes };
  },
};
