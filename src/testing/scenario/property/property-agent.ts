import type { PropertyFile } from '../file/schema.js';
import { BrokenStep } from '../file/steps.js';
import { PERSONAS } from '../personas.js';
import type { AgentFile } from '../file/schema.js';
import { ACTION_NAMES } from './actions.js';

/** An agent of a property: initial holdings and weighted actions. */
export interface PropertyAgent {
  readonly name: string;
  readonly begins: AgentFile;
  readonly weights: readonly string[];
}

const NAMES = ['ann', 'ben', 'cem', 'dee', 'eve', 'fay', 'gus', 'hal', 'ivy', 'joe'];

const ANYBODY: AgentFile = {
  usdc: 1_000,
  sol: 3,
  checking: { usdc: 1_500, sol: 3 },
  savings: { usdc: 500 },
};

function weighted(weights: Readonly<Record<string, number>>): string[] {
  return Object.entries(weights).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));
}

function checkOperations(operations: readonly string[]): void {
  const unknown = operations.findIndex((name) => !ACTION_NAMES.includes(name));
  if (unknown >= 0)
    throw new BrokenStep(
      ['property', 'operations', unknown],
      `nothing is called ${operations[unknown]}; there are ${ACTION_NAMES.join(', ')}`,
    );
}

/** The agents in the worlds of a property. Throws BrokenStep for unknown operations. */
export function propertyAgents({ agents, behaviours, operations }: PropertyFile): PropertyAgent[] {
  const ways =
    behaviours === undefined || Object.keys(behaviours).length === 0
      ? []
      : weighted(behaviours as Record<string, number>);
  if (operations !== undefined) checkOperations(operations);
  // Each behaviour occurs once before any repeats, whatever the weights.
  const order = [...new Set(ways), ...ways];
  return NAMES.slice(0, agents).map((name, index) => {
    const way = order[index % Math.max(1, order.length)];
    const persona = way === undefined ? undefined : PERSONAS[way];
    if (persona === undefined) return { name, begins: ANYBODY, weights: operations ?? ACTION_NAMES };
    const { wallet, ...rest } = persona.begins;
    return {
      name,
      begins: { ...wallet, ...rest },
      weights: operations ?? weighted(persona.does),
    };
  });
}
