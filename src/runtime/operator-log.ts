/** Writes to stderr what the operator must know and callers must not, when there is no `onTrouble` hook. */
export function logToOperator(message: string): void {
  console.error(`agent-bank-sim: ${message}`);
}
