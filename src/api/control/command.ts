import { z } from 'zod';
import { DURATIONS } from '../../core/domain/calendar.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import type { LimitName } from '../../core/limits.js';
import type { ControlWorld } from './world.js';

interface Details<B extends z.ZodType, R, Q extends z.ZodObject> {
  readonly summary: string;
  readonly body?: B;
  /** The schema of its query, whose values arrive as text. */
  readonly query?: Q;
  /** Set when its body, or its response, is bytes rather than JSON. */
  readonly takes?: 'bytes';
  readonly gives?: 'bytes';
  /** The largest body in bytes; `controlBodyBytes` when left out. */
  readonly maxBytes?: LimitName;
  /** Set when the world's methods take the lock themselves: holding it here would deadlock. */
  readonly isGated?: boolean;
  /** Set when it permanently replaces or discards something, as every DELETE does. */
  readonly destroys?: true;
  run(
    world: ControlWorld,
    input: {
      readonly body: z.output<B>;
      /** The body of a command that takes bytes; empty for others. */
      readonly bytes: Uint8Array;
      readonly id: string;
      readonly query: z.output<Q>;
      /** The scheme, host and port that the client used. */
      readonly origin: string;
      readonly cause: RequestContext;
      /** Aborted when the client disconnects. */
      readonly signal: AbortSignal;
    },
  ): R;
}

export interface Command<
  B extends z.ZodType = z.ZodType,
  R = unknown,
  Q extends z.ZodObject = z.ZodObject,
> extends Details<B, R, Q> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the control interface; `{id}` is a parameter. */
  readonly path: string;
}

/** Makes commands of a method, with the types of their body, query and response. */
const commandsOf =
  (method: Command['method']) =>
  <B extends z.ZodType, R, Q extends z.ZodObject>(
    path: string,
    details: Details<B, R, Q>,
  ): Command<B, R, Q> => ({ method, path, ...details });

export const get = commandsOf('GET');
export const post = commandsOf('POST');
export const remove = commandsOf('DELETE');

export const token = z.enum(['USDC', 'SOL']);
export const amount = z.number().positive();
/** An amount that may be 0. */
export const amountOrNone = z.number().nonnegative();
export const duration = z.string().min(1).describe(DURATIONS);
export const address = z.string().describe('Solana address, base58');
/** A request: its id, or the number of one of its events. */
export const event = z
  .string()
  .min(1)
  .max(100)
  .describe('X-Request-Id of a response, or the number of an event of the request');
