import { ACTION_NAMES } from '../persona-actions.js';
import { PERSONAS, type Persona } from '../personas.js';
import { type AgentFile, holdingsOf } from '../scenario/file/schema.js';
import { BrokenStep, unknownName } from '../scenario/file/steps.js';
import { apportioned } from './design.js';
import type { StudyModule, StudyPersona } from './module.js';
import type { StudyFile } from './schema.js';

export interface PersonaGroup {
  readonly name: string;
  readonly begins: AgentFile;
  readonly income: number;
  readonly actions: readonly { readonly name: string; readonly weight: number }[];
  readonly act: StudyPersona['act'];
  readonly count: number;
}

type Use = Exclude<StudyFile['population']['personas'][string], number>;

function actionsOf(does: Persona['does'], path: readonly (string | number)[]): PersonaGroup['actions'] {
  const list = Object.entries(does).map(([name, weight]) => ({ name, weight }));
  const other = list.find(({ name }) => !ACTION_NAMES.includes(name));
  if (other !== undefined)
    throw new BrokenStep([...path, other.name], unknownName('action', other.name, ACTION_NAMES));
  return list.filter(({ weight }) => weight > 0);
}

/** The personas of a population with their numbers of agents. Throws BrokenStep for unknown personas and actions. */
export function groupsOf({ personas, count }: StudyFile['population'], module: StudyModule): PersonaGroup[] {
  const known: Readonly<Record<string, StudyPersona>> = { ...PERSONAS, ...module.personas };
  const at = (...path: string[]) => ['population', 'personas', ...path];
  const uses = Object.entries(personas).map(([name, given]): [string, Use] => [
    name,
    typeof given === 'number' ? { weight: given } : given,
  ]);
  if (uses.every(([, { weight }]) => weight === 0))
    throw new BrokenStep(at(), 'at least one persona needs a weight above 0');
  const counts = apportioned(
    uses.map(([, { weight }]) => weight),
    count,
  );
  return uses.map(([name, { like = name, begins, does, income }], index) => {
    const base = known[like];
    if (base === undefined) throw new BrokenStep(at(name), unknownName('persona', like, Object.keys(known)));
    return {
      name,
      begins: begins === undefined ? holdingsOf(base) : { sol: 1, ...begins },
      income: income ?? base.income ?? 0,
      actions: actionsOf(does ?? base.does ?? {}, at(name, 'does')),
      // Weights in the file replace what the persona would choose.
      act: does === undefined ? base.act : undefined,
      count: counts[index] as number,
    };
  });
}
