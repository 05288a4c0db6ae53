import { z } from 'zod';
import type { RequestContext } from '../../core/domain/request-context.js';
import type { ControlWorld } from './world.js';

/** A command of the control interface: its interface and its implementation. */
export interface Command<B extends z.ZodType = z.ZodType, R = unknown, Q extends z.ZodObject = z.ZodObject> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the control interface; `{id}` is a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly body?: B;
  /** The schema of its query, whose values arrive as text. */
  readonly query?: Q;
  /** Set when its body, or its response, is bytes rather than JSON. */
  readonly takes?: 'bytes';
  readonly gives?: 'bytes';
  /** Set when the methods of the world that it calls take the lock themselves: holding it here would deadlock. */
  readonly isGated?: boolean;
  /** Set when it replaces or discards something that cannot be had back; so does every DELETE. */
  readonly destroys?: true;
  run(
    world: ControlWorld,
    input: {
      readonly body: z.output<B>;
      /** The body of a command that takes bytes; empty for others. */
      readonly bytes: Uint8Array;
      readonly id: string;
      readonly query: z.output<Q>;
      /** Scheme, host and port that the client used. */
      readonly origin: string;
      readonly cause: RequestContext;
      /** Aborted when the client disconnects. */
      readonly signal: AbortSignal;
    },
  ): R;
}

/** Infers and preserves the types of a command's body, query and response. */
export function command<B extends z.ZodType, R, Q extends z.ZodObject>(
  made: Command<B, R, Q>,
): Command<B, R, Q> {
  return made;
}

/** A field of many commands. */
export const token = z.enum(['USDC', 'SOL']);
export const amount = z.number().positive();
export const duration = z.string().min(1).describe('90s, 1h30m, 30d, 2w, 1y or PT1H');
export const address = z.string().describe('Solana address, base58');
export const instant = z.string().describe('ISO 8601 instant with time zone');
/** An integer in a query. */
export const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
