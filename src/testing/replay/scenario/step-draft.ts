/** A scenario step under construction, from a line of a recording. */
export interface StepDraft {
  readonly number: number;
  /** `alice.withdraw`, or a verb of the world. */
  readonly title: string;
  readonly args: unknown;
  readonly key?: string;
  /** Status and body of the recorded answer, with aliases for generated values; null when nothing is to be expected. */
  readonly told: { readonly status: number | null; readonly body: unknown } | null;
  /** Whether it only reads, and may be dropped if nothing refers to it. */
  readonly isRead: boolean;
  /** World time at which it must run. */
  readonly atMs: number;
  /** Saved members of its answer that other steps refer to, by name. */
  readonly saves: Map<string, string>;
}

/** A line without a step, and why. */
export interface LeftOut {
  readonly number: number;
  readonly why: string;
}
