/** Records one command, from its arrival to its response. */
export interface CommandTrace {
  /** Runs the synchronous part of `work` with a running clock held at one instant. */
  still<T>(work: () => T): T;
  answered(status: number, body: unknown): void;
  /** Called when the client has disconnected and the command was cut short. */
  left(): void;
}

/** A command as requested. */
export interface CommandRequest {
  readonly command: string;
  readonly method: string;
  /** The id in its path; empty for none. */
  readonly id: string;
  /** As text, as in the URL. */
  readonly query: Readonly<Record<string, string>>;
  /** JSON; undefined for a command that takes none. */
  readonly body: unknown;
  readonly requestId: string;
}

/** Records commands. */
export interface CommandRecorder {
  /** `null` for a command that is not recorded. */
  command(request: CommandRequest): CommandTrace | null;
}

/** A recorder can be inserted while commands are served; `on` is null while nothing is recorded. */
export interface CommandRecorderSlot {
  readonly on: CommandRecorder | null;
}
