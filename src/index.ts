export type { DevWallet } from './library/dev-wallets.js';
export { Simulator, type SimulatorHooks, createSimulator } from './simulator.js';
export { ChainRefusal, ClusterLimit, EventNotDue, RefusedError } from './library/refusals.js';
export { DataError } from './durable/data-error.js';
export { StateError } from './state-file/state-error.js';
export { showState } from './library/show-state.js';
export type { StateSummary } from './library/state-summary.js';
export { InvalidOptions, type SimulatorOptions } from './config.js';
export { AgentClient, BankError, type CallOptions, type ClientOptions } from './client/client.js';
export { ChainRpcError, chainAt } from './client/chain-at.js';
export { AgentWallet, type ChainConnection, type TokenTransfer } from './client/wallet.js';
export { ERRORS, type ErrorCode } from './domain/errors.js';
export type { FiredEvent } from './bank/due.js';
export type { PaymentReceipt, PaymentRequest } from './domain/payment-request.js';
export {
  type AfterStep,
  type PropertyCheck,
  type Script,
  type ScriptAgent,
  type ScriptTools,
  type ScriptWorld,
  property,
  scenario,
} from './scenario/script.js';
export { ControlClient, ControlError } from './control/client.js';
