import type { EventKind } from './due-runner.js';
import { isoOf } from '../core/domain/calendar.js';
import { type Refusal, messageOf } from '../core/domain/errors.js';

const LIMITS = {
  time: 'Time cannot be set on a cluster: all its users share one clock. Use --engine bankrun or litesvm to stop, scale or advance it.',
  snapshot:
    'A world on a cluster has no snapshots and no forks: the chain of a cluster cannot be reverted. Use --engine bankrun or litesvm.',
  state:
    'A world on a cluster cannot be exported or imported: its accounts and the key of its treasury are outside of the world. Use --engine bankrun or litesvm.',
  recording:
    'A world on a cluster cannot be recorded: others also change its chain, and a replay cannot repeat their changes. Use --engine bankrun or litesvm.',
  account:
    'Accounts cannot be set on a cluster: only transactions change it. Send the tokens, or use --engine bankrun or litesvm.',
  faucet:
    "A cluster has no faucet. For SOL, use the cluster's own requestAirdrop (solana airdrop). For USDC, send some from a wallet that has it.",
  fault:
    'On a cluster, faults of the chain and of its JSON-RPC can never fire: the chain is outside of the world. Use faults of the calls to the bank, or --engine bankrun or litesvm.',
  rpc: "A world on a cluster serves no JSON-RPC: use the cluster's own.",
  read: "A world on a cluster has no copy of the chain: use the cluster's own JSON-RPC, or --engine bankrun or litesvm.",
} as const;

/** An operation that a world on a cluster does not support; the message says why, and what to do instead. */
export class ClusterLimit extends Error {
  override readonly name = 'ClusterLimit';

  constructor(what: keyof typeof LIMITS) {
    super(LIMITS[what]);
  }
}

/** A part that only a world with an in-process chain has. Throws ClusterLimit when it is null, as on a cluster. */
export function inProcess<T extends object>(part: T | null, what: keyof typeof LIMITS): T {
  if (part === null) throw new ClusterLimit(what);
  return part;
}

/** An advance to an event that does not occur within the default span. The clock has not moved. */
export class EventNotDue extends Error {
  override readonly name = 'EventNotDue';

  constructor(kind: EventKind, span: string, endMs: number) {
    super(
      `No ${kind} occurs within ${span}, until ${isoOf(endMs)}; the clock has not moved. Create its cause first, or extend the search: within, such as 20y.`,
    );
  }
}

/** An advance with more due events than the limit `jumpEvents` allows. The message says how far it went. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';

  constructor(limit: number, atMs: number) {
    super(
      `The jump stopped at ${isoOf(atMs)} after ${limit} events, which is the limit jumpEvents. Continue in shorter advances, or let rates and prices change less often.`,
    );
  }
}

/** A world was closed during an advance. */
export class WorldClosed extends Error {
  override readonly name = 'WorldClosed';

  constructor() {
    super('the world was closed while time passed');
  }
}

/** The world lacks the secret key of a wallet that must sign; the message says what to do instead. */
export class SecretKeyUnknown extends Error {
  override readonly name = 'SecretKeyUnknown';

  constructor(address: string) {
    super(
      `The simulator does not know the secret key of ${address}, whose signature a deposit needs. Fund it from the faucet and let its owner deposit: AgentClient's fund, or sim deposit with --secret-key. Or use a dev wallet, or one that POST /_sim/v1/wallets makes.`,
    );
  }
}

/** A named thing does not exist. `code` ends with `_not_found`. */
export class NotFound extends Error {
  override readonly name = 'NotFound';

  constructor(
    readonly code: `${string}_not_found`,
    message: string,
  ) {
    super(message);
  }
}

/** A refusal by the bank, thrown by the library. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(messageOf(refusal));
    this.refusal = refusal;
  }
}
