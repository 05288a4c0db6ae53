export type { DevWallet } from './runtime/dev-wallets.js';
export { Simulator, type SimulatorHooks, createSimulator } from './simulator/simulator.js';
export { ChainRefusal, ClusterLimit, EventNotDue, RefusedError } from './runtime/refusals.js';
export { DataError } from './persistence/durable/data-error.js';
export { StateError } from './persistence/state-file/state-error.js';
export { showState } from './persistence/show-state.js';
export type { StateSummary } from './persistence/state-summary.js';
export { InvalidOptions, type SimulatorOptions } from './runtime/config.js';
export { AgentClient, BankError, type CallOptions, type ClientOptions } from './sdk/client/client.js';
export { ChainRpcError, chainAt } from './sdk/client/chain-at.js';
export { AgentWallet, type ChainConnection, type TokenTransfer } from './sdk/client/wallet.js';
export { ERRORS, type ErrorCode } from './core/domain/errors.js';
export type { FiredEvent } from './runtime/due-runner.js';
export type { PaymentReceipt, PaymentRequest } from './core/domain/payment-request.js';
export {
  type AfterStep,
  type PropertyCheck,
  type Script,
  type ScriptAgent,
  type ScriptTools,
  type ScriptWorld,
  property,
  scenario,
} from './testing/scenario/script.js';
export { ControlClient, ControlError } from './api/control/client.js';
