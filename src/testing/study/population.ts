import { ACTION_NAMES } from '../persona-actions.js';
import { PERSONAS, type Persona } from '../personas.js';
import { BrokenStep } from '../scenario/file/steps.js';
import { apportioned } from './design.js';
import { unknownName } from './known-members.js';
import type { StudyModule, StudyPersona } from './module.js';
import type { StudyFile } from './schema.js';

/** A persona of a study and its number of agents. */
export interface PersonaGroup {
  readonly name: string;
  readonly begins: Persona['begins'];
  readonly income: number;
  readonly actions: readonly { readonly name: string; readonly weight: number }[];
  readonly act: StudyPersona['act'];
  readonly count: number;
}

type Use = Exclude<StudyFile['population']['personas'][string], number>;

/** Converts initial funds from the notation of scenarios to the notation of personas. */
function beginsOf(given: NonNullable<Use['begins']>): Persona['begins'] {
  const { usdc = 0, sol = 1, checking, savings, identity } = given;
  const money = (of: typeof checking) => ({ usdc: of?.usdc ?? 0, sol: of?.sol ?? 0 });
  return {
    wallet: { usdc, sol },
    checking: money(checking),
    savings: money(savings),
    identity: { x: identity?.x ?? false, github: identity?.github ?? false },
  };
}

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
      begins: begins === undefined ? base.begins : beginsOf(begins),
      income: income ?? base.income ?? 0,
      actions: actionsOf(does ?? base.does ?? {}, at(name, 'does')),
      // Weights in the file replace what the persona would choose.
      act: does === undefined ? base.act : undefined,
      count: counts[index] as number,
    };
  });
}
