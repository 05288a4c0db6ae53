/** Tells whoever runs a simulator what no caller can be told, where no hook `onTrouble` takes it. */
export function logToOperator(message: string): void {
  console.error(`agent-bank-sim: ${message}`);
}
