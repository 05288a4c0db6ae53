/** A limit: its default, and the least and the most that may be chosen. */
interface Limit {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

const MIB = 1_024 * 1_024;

/** What a world takes of its callers at most. docs/limits.md says what is refused beyond. */
export const LIMITS = {
  /** Bytes of the events that are remembered. */
  eventLogBytes: { standard: 64 * MIB, least: MIB, most: 1_024 * MIB },
  /** Event streams that are open at once. */
  eventStreams: { standard: 32, least: 1, most: 10_000 },
  /** Events of one jump of the clock. */
  jumpEvents: { standard: 1_000_000, least: 1, most: 100_000_000 },
  /** Faults in force. */
  faults: { standard: 1_000, least: 1, most: 1_000_000 },
  /** Snapshots that are kept. */
  snapshots: { standard: 100_000, least: 1, most: 10_000_000 },
  /** Bytes of a body of the control interface; a series of ten thousand rates has half of it. */
  controlBodyBytes: { standard: MIB, least: 1_024, most: 512 * MIB },
  /** Bytes of a state that is sent; Node keeps it in memory twice while it is read. */
  stateBytes: { standard: 512 * MIB, least: 1_024, most: 2_048 * MIB },
  /** Forks that are served at a time. What one has taken (8 to 13 MB) is used again by the next, not given back. */
  forks: { standard: 16, least: 1, most: 10_000 },
  /** Idempotency-Keys that are remembered at a time. */
  idempotencyKeys: { standard: 100_000, least: 1, most: 100_000_000 },
  /** Applications for credit lines, decided or not, that a world keeps. */
  loanApplications: { standard: 100_000, least: 1, most: 100_000_000 },
  /** Calls in a batch of the RPC. */
  rpcBatchCalls: { standard: 1_000, least: 1, most: 100_000 },
  /** Real milliseconds that the calls of a batch take together. */
  rpcBatchMs: { standard: 10_000, least: 1, most: 3_600_000 },
  /** Characters of the answer to a message of the RPC, single or batch. */
  rpcAnswerBytes: { standard: 32 * MIB, least: 1_024, most: 256 * MIB },
  /** Bytes of the messages of a WebSocket that wait for their answers. */
  rpcWaitingBytes: { standard: 16 * MIB, least: 1_024, most: 1_024 * MIB },
  /** Subscriptions of a WebSocket. */
  rpcConnectionSubscriptions: { standard: 10_000, least: 1, most: 1_000_000 },
  /** Subscriptions of all WebSockets of a world together. */
  rpcSubscriptions: { standard: 20_000, least: 1, most: 1_000_000 },
} as const satisfies Readonly<Record<string, Limit>>;

/** The name of a limit. */
export type LimitName = keyof typeof LIMITS;

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** What holds when nothing else is said. */
export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { standard }]) => [name, standard]),
) as unknown as Limits;
