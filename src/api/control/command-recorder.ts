/** A command that is recorded, from its beginning to its answer. */
export interface CommandTrace {
  /** Runs the synchronous part of a work at one instant of a running clock. */
  still<T>(work: () => T): T;
  answered(status: number, body: unknown): void;
  /** Its caller has left, and it has ended in the midst of what it did. */
  left(): void;
}

/** A command as it was asked for. */
export interface CommandRequest {
  readonly command: string;
  readonly method: string;
  /** What stands in its path; empty for none. */
  readonly id: string;
  /** As text, as it stood in the URL. */
  readonly query: Readonly<Record<string, string>>;
  /** JSON; undefined for a command that takes none. */
  readonly body: unknown;
  readonly requestId: string;
}

/** What records commands. */
export interface CommandRecorder {
  /** Null for a command that has no place in a recording. */
  command(asked: CommandRequest): CommandTrace | null;
}

/** Where a recorder can be put in while commands are taken; `on` is null while nothing is recorded. */
export interface CommandRecorderSlot {
  readonly on: CommandRecorder | null;
}
