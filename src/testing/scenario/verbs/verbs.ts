import { AGENT_CALLS, CALLS } from './calls.js';
import { AGENT_SENDS } from './chain.js';
import { CONTROL } from './control.js';
import { AGENT_BUYS, SERVICES } from './services.js';

export const AGENT_VERBS = { ...AGENT_CALLS, ...AGENT_SENDS, ...AGENT_BUYS };

export const WORLD_VERBS = { ...CALLS, ...SERVICES, ...CONTROL };

/** Control flow: steps that contain other steps, or only check. */
export const FLOW = ['repeat', 'parallel', 'wait', 'expect'] as const;

export const FIXED_REFERENCES: readonly string[] = ['treasury', 'usdcMint', 'issuer', 'now', 'round'];

/** Names that agents must not have, because they have another meaning at the start of a step or reference. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...FLOW,
  ...Object.keys(WORLD_VERBS).map((name) => name.split('.')[0] ?? name),
  ...FIXED_REFERENCES,
]);
