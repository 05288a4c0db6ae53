import { AGENT_CALLS, CALLS } from './calls.js';
import { AGENT_SENDS } from './chain.js';
import { CONTROL } from './control.js';
import { AGENT_BUYS, SERVICES } from './services.js';

/** Everything that an agent can do in a scenario, by name. */
export const AGENT_VERBS = { ...AGENT_CALLS, ...AGENT_SENDS, ...AGENT_BUYS };

/** Everything that a scenario can do to its world, by name. */
export const WORLD_VERBS = { ...CALLS, ...SERVICES, ...CONTROL };

/** Steps that hold other steps, or only look. */
export const FLOW = ['repeat', 'parallel', 'wait', 'expect'] as const;

/** What references may always name. */
export const FIXED_REFERENCES: readonly string[] = ['treasury', 'usdcMint', 'issuer', 'now', 'round'];

/** Names that no agent may have: they stand for something else at the beginning of a step or of a reference. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...FLOW,
  ...Object.keys(WORLD_VERBS).map((name) => name.split('.')[0] ?? name),
  ...FIXED_REFERENCES,
]);
