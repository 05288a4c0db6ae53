import { everyStep, type ScenarioResult } from '../../src/testing/scenario/results.js';

/** All status transitions of a credit line, as `from → to`. */
export const LOAN_TRANSITIONS = [
  'applied → pending_review',
  'applied → denied',
  'pending_review → active',
  'pending_review → denied',
  'active → repaid',
  'active → overdue',
  'overdue → repaid',
  'overdue → defaulted',
  'overdue → active',
  'defaulted → active',
  'defaulted → repaid',
] as const;

interface Line {
  status: string;
  principalBase: bigint;
}

/** The status after an entry; null if the entry changes none. */
function statusAfter(facts: Readonly<Record<string, unknown>>, line: Line): string | null {
  switch (facts['kind']) {
    case 'loan.approved':
    case 'loan.cured':
      return 'active';
    case 'loan.denied':
      return 'denied';
    case 'loan.overdue':
      return 'overdue';
    case 'loan.defaulted':
      return 'defaulted';
    case 'loan.repaid':
      line.principalBase -= BigInt(String(facts['principalBase']));
      // Interest is paid before principal, so without principal nothing is owed.
      return line.principalBase === 0n ? 'repaid' : null;
    default:
      return null;
  }
}

/** The transitions of credit lines in a scenario whose entries were retained. */
export function transitionsIn({ steps }: ScenarioResult): Set<string> {
  const found = new Set<string>();
  const lines = new Map<string, Line>();
  for (const { entries } of everyStep(steps))
    for (const entry of entries) {
      const facts = (entry['facts'] ?? {}) as Readonly<Record<string, unknown>>;
      const id = facts['loanId'];
      if (typeof id !== 'string') continue;
      if (facts['kind'] === 'loan.applied') {
        const status = String(facts['status']);
        lines.set(id, { status, principalBase: BigInt(String(facts['amountBase'])) });
        found.add(`applied → ${status}`);
        continue;
      }
      const line = lines.get(id);
      const status = line === undefined ? null : statusAfter(facts, line);
      if (line === undefined || status === null) continue;
      found.add(`${line.status} → ${status}`);
      line.status = status;
    }
  return found;
}
