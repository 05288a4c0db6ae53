import type { PaymentRules } from './consent.js';
import type { WalletSession } from './wallet-session.js';

/** A tool as `tools/list` describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A JSON Schema of an object, as MCP requires of inputs and outputs. */
export interface JsonSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

export interface ToolCall extends PaymentRules {
  readonly session: WalletSession;
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress; null unless the client asked for it. */
  readonly progress: ((done: number, total: number | null, message: string) => Promise<void>) | null;
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** Resolves to a JSON object. Rejects with the errors of the clients, ToolRefusal and ConsentNeeded. */
  run(args: Readonly<Record<string, unknown>>, call: ToolCall): Promise<object>;
}

/** The name of a tool for the id of an operation or command: `savings_deposit` for `savingsDeposit`. */
export function toolName(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The title of a tool for an id: `Savings deposit` for `savingsDeposit`. */
export function toolTitle(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
