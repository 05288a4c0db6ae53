/** Wrong usage: one clear line on stderr, exit code 2. */
export class UsageError extends Error {}

/** Wrong usage whose message goes on with a list of names, on lines of its own. */
export class UnknownName extends UsageError {}

/** A running simulator refused, or nobody answers: one clear line on stderr, exit code 1. */
export class RemoteRefusal extends Error {}

/** Exit codes of every command: held, a check failed, wrong usage. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
