/** A limit: its default, minimum and maximum. */
interface Limit {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

const MIB = 1_024 * 1_024;

/** Upper bounds on a world's resources for callers. docs/reference/limits.md describes what happens beyond each. */
export const LIMITS = {
  /** Bytes of events that the event log retains. */
  eventLogBytes: { standard: 64 * MIB, least: MIB, most: 1_024 * MIB },
  /** Event streams open at once. */
  eventStreams: { standard: 32, least: 1, most: 10_000 },
  /** Events produced by one advance of the clock; each takes 2 to 7 µs, and other calls wait. */
  jumpEvents: { standard: 50_000, least: 1, most: 100_000_000 },
  /** Active faults. */
  faults: { standard: 1_000, least: 1, most: 1_000_000 },
  /** Stored snapshots. */
  snapshots: { standard: 100_000, least: 1, most: 10_000_000 },
  /** Bytes of a request body of the control interface; a series of ten thousand rates takes half of the default. */
  controlBodyBytes: { standard: MIB, least: 1_024, most: 512 * MIB },
  /** Bytes of a request body with accounts in base64. */
  accountBodyBytes: { standard: 64 * MIB, least: 1_024, most: 512 * MIB },
  /** Bytes of an uploaded state file; Node holds it in memory twice while it is read. */
  stateBytes: { standard: 512 * MIB, least: 1_024, most: 2_048 * MIB },
  /** Forks served at once. The memory of a dropped fork (8 to 13 MB) is reused by the next one, not freed: more than four would keep over 50 MB. */
  forks: { standard: 4, least: 1, most: 10_000 },
  /** Idempotency-Keys stored at once. */
  idempotencyKeys: { standard: 100_000, least: 1, most: 100_000_000 },
  /** Stored applications for credit lines, decided or undecided. */
  loanApplications: { standard: 100_000, least: 1, most: 100_000_000 },
  /** Undecided applications for credit lines per agent. */
  openApplications: { standard: 3, least: 1, most: 100_000 },
  /** Sessions of MCP clients over HTTP. */
  mcpSessions: { standard: 100, least: 1, most: 100_000 },
  /** Wall-clock milliseconds after which the next request ends an unused MCP session. */
  mcpIdleMs: { standard: 1_800_000, least: 1, most: 86_400_000 },
  /** Calls in an RPC batch. */
  rpcBatchCalls: { standard: 1_000, least: 1, most: 100_000 },
  /** Wall-clock milliseconds for all calls of a batch together. */
  rpcBatchMs: { standard: 10_000, least: 1, most: 3_600_000 },
  /** Characters of the response to one RPC message, single or batch. */
  rpcResponseBytes: { standard: 32 * MIB, least: 1_024, most: 256 * MIB },
  /** Bytes of a WebSocket's messages without a response yet. */
  rpcWaitingBytes: { standard: 16 * MIB, least: 1_024, most: 1_024 * MIB },
  /** Subscriptions of a WebSocket. */
  rpcConnectionSubscriptions: { standard: 10_000, least: 1, most: 1_000_000 },
  /** Subscriptions of all WebSockets of a world. */
  rpcSubscriptions: { standard: 20_000, least: 1, most: 1_000_000 },
} as const satisfies Readonly<Record<string, Limit>>;

/** The name of a limit. */
export type LimitName = keyof typeof LIMITS;

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The limits when none is configured. */
export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { standard }]) => [name, standard]),
) as unknown as Limits;
