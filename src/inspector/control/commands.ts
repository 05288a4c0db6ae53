import type { CommandId } from '../../api/control/commands.js';

export interface CommandRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
}

function get(path: string): CommandRoute {
  return { method: 'GET', path };
}

function post(path: string): CommandRoute {
  return { method: 'POST', path };
}

function remove(path: string): CommandRoute {
  return { method: 'DELETE', path };
}

/** Method and path of the commands that the page uses; a test compares them with the control interface's own table. */
export const ROUTES = {
  time: get('/time'),
  advance: post('/time/advance'),
  freeze: post('/time/freeze'),
  run: post('/time/run'),
  scale: post('/time/scale'),
  wallets: get('/wallets'),
  createWallet: post('/wallets'),
  faucet: post('/faucet'),
  deposit: post('/deposits'),
  setBalance: post('/balances'),
  oracle: get('/oracle'),
  setApy: post('/oracle/apy'),
  setPrice: post('/oracle/price'),
  reviews: get('/reviews'),
  approve: post('/reviews/{id}/approve'),
  deny: post('/reviews/{id}/deny'),
  reviewPolicy: get('/reviews/policy'),
  setReviewPolicy: post('/reviews/policy'),
  loans: get('/loans'),
  overdueLoan: post('/loans/{id}/overdue'),
  defaultLoan: post('/loans/{id}/default'),
  cureLoan: post('/loans/{id}/cure'),
  payLoan: post('/loans/{id}/pay'),
  linkIdentity: post('/identities'),
  snapshots: get('/snapshots'),
  snapshot: post('/snapshots'),
  revert: post('/snapshots/{id}/revert'),
  dropSnapshot: remove('/snapshots/{id}'),
  history: get('/history'),
  revertBefore: post('/history/{id}/revert'),
  compare: get('/differences'),
  exportState: get('/state'),
  importState: post('/state'),
  forks: get('/forks'),
  fork: post('/forks'),
  dropFork: remove('/forks/{id}'),
  faults: get('/faults'),
  addFault: post('/faults'),
  clearFault: remove('/faults/{id}'),
  clearFaults: post('/faults/clear'),
  events: get('/events'),
  explain: get('/explain/{id}'),
  recording: get('/recording'),
  startRecording: post('/recording'),
  stopRecording: post('/recording/stop'),
  scenarioOfRecording: post('/recording/scenario'),
  journalEntries: get('/journal/entries'),
  exportJournal: get('/journal/export'),
  trialBalance: get('/journal/balance'),
  invariants: get('/invariants'),
  customers: get('/customers'),
  customer: get('/customers/{id}'),
  customerHistory: get('/customers/{id}/history'),
  transactions: get('/chain/transactions'),
  transaction: get('/chain/transactions/{id}'),
  chainAccount: get('/chain/accounts/{id}'),
  balanceSeries: get('/series/balances'),
  rateSeries: get('/series/rates'),
  requestSeries: get('/series/requests'),
  receipt: get('/x402/receipts/{id}'),
  verifyPayment: get('/x402/verification'),
  variants: get('/variants'),
  rpcUrl: get('/rpc'),
} as const satisfies Partial<Record<CommandId, CommandRoute>>;

export type Used = keyof typeof ROUTES;
