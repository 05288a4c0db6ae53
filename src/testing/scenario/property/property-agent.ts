import { type AgentFile, type PropertyFile, holdingsOf } from '../file/schema.js';
import { BrokenStep, unknownName } from '../file/steps.js';
import { ACTION_NAMES } from '../../persona-actions.js';
import { PERSONAS } from '../../personas.js';

/** An agent of a property: initial holdings and actions by weight. */
export interface PropertyAgent {
  readonly name: string;
  readonly begins: AgentFile;
  readonly actions: readonly { readonly name: string; readonly weight: number }[];
}

const NAMES = ['ann', 'ben', 'cem', 'dee', 'eve', 'fay', 'gus', 'hal', 'ivy', 'joe'];

const ANYBODY: AgentFile = {
  usdc: 1_000,
  sol: 3,
  checking: { usdc: 1_500, sol: 3 },
  savings: { usdc: 500 },
};

/** The agents in the worlds of a property. Throws BrokenStep for unknown operations. */
export function propertyAgents({ agents, behaviours = {}, operations }: PropertyFile): PropertyAgent[] {
  for (const [at, name] of (operations ?? []).entries())
    if (!ACTION_NAMES.includes(name))
      throw new BrokenStep(['property', 'operations', at], unknownName('action', name, ACTION_NAMES));
  const given = (operations ?? ACTION_NAMES).map((name: string) => ({ name, weight: 1 }));
  // Each behaviour occurs once before any repeats, whatever the weights.
  const order = Object.keys(behaviours);
  for (const [name, weight = 0] of Object.entries(behaviours))
    order.push(...Array<string>(weight).fill(name));
  return NAMES.slice(0, agents).map((name, index) => {
    const persona = PERSONAS[order[index % order.length] ?? ''];
    if (persona === undefined) return { name, begins: ANYBODY, actions: given };
    const does = Object.entries(persona.does).map(([verb, weight]) => ({ name: verb, weight }));
    return { name, begins: holdingsOf(persona), actions: operations === undefined ? does : given };
  });
}
