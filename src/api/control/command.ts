import { z } from 'zod';
import type { RequestContext } from '../../core/domain/request-context.js';
import type { ControlWorld } from './world.js';

/** One thing that the control interface can do: everything that can be said of it without doing it. */
export interface Command<B extends z.ZodType = z.ZodType, R = unknown, Q extends z.ZodObject = z.ZodObject> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the control interface; `{id}` is a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly body?: B;
  /** What may stand in the query; values arrive as text. */
  readonly query?: Q;
  /** That its body, or its answer, is bytes and no JSON. */
  readonly takes?: 'bytes';
  readonly gives?: 'bytes';
  /** Whether the world's own methods wait for their turn: who has entered the world already would wait for itself. */
  readonly isGated?: boolean;
  run(
    world: ControlWorld,
    input: {
      readonly body: z.output<B>;
      /** The body of a command that takes bytes; empty for others. */
      readonly bytes: Uint8Array;
      readonly id: string;
      readonly query: z.output<Q>;
      /** Scheme, host and port that the caller used. */
      readonly origin: string;
      readonly cause: RequestContext;
      /** Aborted when the caller leaves. */
      readonly signal: AbortSignal;
    },
  ): R;
}

/** Keeps the types of a command's body, query and answer. */
export function command<B extends z.ZodType, R, Q extends z.ZodObject>(
  made: Command<B, R, Q>,
): Command<B, R, Q> {
  return made;
}

/** Members that many commands take. */
export const token = z.enum(['USDC', 'SOL']);
export const amount = z.number().positive();
export const duration = z.string().min(1).describe('90s, 1h30m, 30d, 2w, 1y or PT1H');
export const address = z.string().describe('Solana address, base58');
export const instant = z.string().describe('an instant with its zone, ISO 8601');
/** A whole number in a query. */
export const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
