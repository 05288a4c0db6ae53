export { Simulator, type SimulatorHooks, createSimulator } from './simulator/simulator.js';
export type { AnsweredRpcCall } from './simulator/hooks.js';
export type { ServerOptions } from './simulator/gateway.js';
export type { RecordingSession, RecordingState } from './recording/recorder/session.js';
export {
  type ClusterConfig,
  type DataConfig,
  InvalidOptions,
  type SimulatorConfig,
  type SimulatorOptions,
} from './runtime/config.js';
export type { AccountInput, AddressedAccount } from './runtime/accounts/account-json.js';
export type { AccountsApi } from './runtime/accounts/accounts-api.js';
export type { ConvertedRecording } from './api/control/world.js';
export { BANK_LIMITS, type BankLimitName, type BankLimits } from './core/domain/bank-limits.js';
export type { LimitName, Limits } from './core/limits.js';
export type { Variants } from './core/domain/variants.js';
export type { TimeMode } from './world/clock.js';
export type { KeyPair } from './world/keys.js';
export type { ValueKind } from './world/oracle.js';
export type { OracleSources, SeriesPoint, ValueSource } from './world/sources.js';
export type {
  ConfirmFault,
  InjectedFaults,
  RequestContext,
  SubmitFault,
} from './core/domain/request-context.js';
export type {
  AccountName,
  Entry,
  Facts,
  LoanTerms,
  OutflowKind,
  OutflowTerms,
  OwnedAccount,
  Posting,
} from './core/domain/entry.js';
export type { DepositView } from './core/domain/operations/deposit.js';
export type { Account, Execution, InnerInstruction, TransactionError } from './chain/engine.js';
export type { TouchedAccount, TransactionRecord } from './chain/history.js';
export type { SignatureVerifier } from './chain/signatures.js';
export type { Submission } from './chain/submission.js';
export type { Advance, AdvanceOptions } from './runtime/jump-target.js';
export type { EventKind, FiredEvent } from './runtime/due-runner.js';
export { ChainRefusal } from './chain/submission.js';
export { ClusterLimit, EventNotDue, NotFound, RefusedError } from './runtime/refusals.js';
export { StorageUnavailable } from './core/journal/storage-unavailable.js';

export type { ChainApi, TransactionPage } from './runtime/chain-api.js';
export type {
  CustomerView,
  CustomersApi,
  DailyLimitView,
  HistoryRecord,
  ScoreView,
} from './runtime/customers-api.js';
export type { CustomerPage, CustomerRow } from './runtime/inspection/customer-list.js';
export type { Changed, Differences, OnlyThere, Some } from './runtime/inspection/differences.js';
export type { EntryPage, EntryView } from './runtime/inspection/journal-pages.js';
export type { LastCall } from './runtime/inspection/last-calls.js';
export type { HistoryPage, HistoryRow, RememberedRequest } from './runtime/request-history.js';
export type { RequestSeries, Series, SeriesApi } from './runtime/series-api.js';
export type { Snapshotable } from './core/snapshot.js';
export type { SnapshotRef } from './simulator/instants.js';
export type { EntryJson, EventJson } from './runtime/events/event.js';
export type {
  BalanceSeriesQuery,
  CustomerQuery,
  EntryQuery,
  HistoryQuery,
  LoanQuery,
  PageQuery,
  RequestSeriesQuery,
  SeriesSpan,
  TransactionQuery,
} from './runtime/inspection/queries.js';
export type { FaultInput, FaultView, FaultsApi } from './runtime/faults-api.js';
export type { JournalApi, TokenAmounts, TrialBalance } from './runtime/journal-api.js';
export type { Cure, DeskLoan, LoanDesk, PendingReview } from './runtime/loan-desk.js';
export type { ChangeStart, Instant, OracleApi } from './runtime/oracle-api.js';
export type { DevWallet } from './runtime/dev-wallets.js';
export type { FundingRequest, WalletFunding, WantedDeposit } from './runtime/wallet-funding.js';
export type { Violation } from './core/domain/invariants.js';
export type { Explanation } from './runtime/events/explain.js';
export type { EventBody, RequestEvent, SimEvent } from './runtime/events/event.js';
export type { FaultReport } from './runtime/faults/fault-rules.js';
export type { EventLog, EventPage, EventQuery } from './runtime/events/log.js';
export type { EventStreams } from './runtime/events/stream.js';
export type { InProcessApi, InProcessCall } from './api/http/in-process.js';
export type { ApiResponse } from './api/pipeline/api-request.js';
export type { AnsweredRequest } from './api/pipeline/pending-request.js';
export type { ServiceFacts } from './api/http/discovery.js';
export type { RunningServer } from './api/server.js';
export type { RunningRpc } from './api/rpc/server.js';

export { DataError, type DataFault } from './persistence/durable/data-error.js';
export { StateError, type StateFault } from './persistence/state-file/state-error.js';
export type { StateSource } from './persistence/state.js';

export {
  AgentClient,
  type Amount,
  BankError,
  type CallOptions,
  type ClientOptions,
  type LoanPlan,
  type TokenAmount,
} from './sdk/client/client.js';
export type { FetchLike } from './core/fetch.js';
export { ChainRpcError, chainAt } from './sdk/client/chain-at.js';
export type { Outgoing } from './sdk/client/outgoing.js';
export { AgentWallet, type ChainConnection, type TokenTransfer } from './sdk/client/wallet.js';
export type { SecretKeySource } from './core/secret-key.js';
export { ERRORS, type ErrorCode, type ErrorStatus, type Refusal } from './core/domain/errors.js';
export type { Amount as ExactAmount, PerToken, Token } from './core/domain/money.js';
export type { BalanceChange } from './core/domain/views.js';
export type { PaymentReceipt, PaymentRequest } from './core/domain/payment-request.js';
export type { EndpointId, QueryOf, ResponseOf } from './contract/endpoints.js';

export {
  ControlClient,
  ControlError,
  type Ask,
  type BodyOf,
  type QueryOf as CommandQueryOf,
  type ControlFetch,
} from './api/control/client.js';
export type { Command } from './api/control/command.js';
export type { CommandId } from './api/control/commands.js';
export type {
  AccountDetails,
  HoldingView,
  TokensView,
  TransactionDetails,
  TransactionRow,
} from './api/control/chain-decoding.js';
export type { PaymentCheck } from './api/control/payment-check.js';
export type { PaymentVerification } from './api/control/payment-checks.js';
export type { CreditDecision, RiskCategory } from './core/domain/credit/score.js';
export type { TransactionView } from './core/domain/queries/transactions.js';

export {
  type AfterStep,
  type Answer,
  type PropertyCheck,
  type PropertyOptions,
  type Script,
  type ScriptAgent,
  type ScriptOptions,
  type ScriptTools,
  type ScriptWorld,
  type ScriptedScenario,
  property,
  scenario,
} from './testing/scenario/script.js';
export type { Expectations } from './testing/scenario/file/schema.js';
export type { Balances, Holdings } from './testing/scenario/results.js';
