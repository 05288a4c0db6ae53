import type { CommandId } from '../../api/control/commands.js';
import { ROUTES } from '../../api/control/names.js';
import type { RequestEvent } from '../control/events.js';
import { mountOf, queryText } from './routes.js';

/** A request of the API, the control interface or the RPC, as the event log has it. */
export type SentRequest = Pick<
  RequestEvent,
  'interface' | 'method' | 'path' | 'operation' | 'wallet' | 'input' | 'code'
>;

/** The names of agents' operations: a verb of scenarios, and a method of AgentClient. */
export const OPERATIONS: Readonly<Record<string, readonly [verb: string, method: string]>> = {
  profile: ['profile', 'profile'],
  eligibility: ['eligibility', 'eligibility'],
  account: ['account', 'account'],
  deposit: ['deposit', 'deposit'],
  withdraw: ['withdraw', 'withdraw'],
  transactions: ['transactions', 'transactions'],
  savingsDeposit: ['savings.deposit', 'depositSavings'],
  savingsWithdraw: ['savings.withdraw', 'withdrawSavings'],
  yieldRates: ['savings.yield', 'yieldRates'],
  collateralBorrow: ['collateral.borrow', 'borrow'],
  collateralRepay: ['collateral.repay', 'repay'],
  x402Pay: ['x402.pay', 'pay'],
  x402Receive: ['x402.receive', 'receive'],
  x402Request: ['x402.request', 'requestPayment'],
  loans: ['loans', 'loans'],
  loanApply: ['loans.apply', 'applyForLoan'],
  loan: ['loans.get', 'loan'],
  loanRepay: ['loans.repay', 'repayLoan'],
  onboard: ['onboard', 'onboard'],
};

type Members = Readonly<Record<string, unknown>>;

function membersOf(input: unknown): Members | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Members) : null;
}

/** The id in the path of a loan or of a command; null when there is none. */
function idOf({ interface: of, path, operation }: SentRequest): string | null {
  if (operation === 'loan' || operation === 'loanRepay') return /\/loans\/([^/]+)/.exec(path)?.[1] ?? null;
  if (of !== 'control') return null;
  const [, id] = new RegExp(ROUTES[operation as CommandId].path.replace('{id}', '([^/]+)')).exec(path) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}

/** A value as JSON on one line, as YAML reads it too. */
export const jsonText = (value: unknown): string => JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');

/** A value in TypeScript, where JSON's `__proto__` would set the prototype. */
export const literalText = (value: unknown): string =>
  jsonText(value).replaceAll(/(?<!\\)"__proto__":/g, '["__proto__"]:');

const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Whether the log has the whole request. It does not when the body was large. */
export function isWhole({ interface: of, method, input, operation }: SentRequest): boolean {
  if (of === 'rpc') return input !== null;
  return operation !== null && (of === 'control' || (of === 'api' && (method === 'GET' || input !== null)));
}

/** Why a completely logged request cannot be a step of a scenario; null when it can. */
export function noStepText({ interface: of, operation }: SentRequest): string | null {
  if (of === 'rpc') return 'Scenarios do not have a step for RPC calls.';
  if (of === 'control' || Object.hasOwn(OPERATIONS, operation ?? '')) return null;
  return 'The agents of a scenario sign in automatically, so there is no step for it.';
}

function rpcBody({ path, input }: SentRequest): object {
  return { jsonrpc: '2.0', id: 1, method: path, params: input };
}

function rpcProgramText(request: SentRequest, url: string): string {
  return [
    `const response = await fetch(${literalText(url)}, {`,
    `  method: 'POST',`,
    `  headers: { 'content-type': 'application/json' },`,
    `  body: JSON.stringify(${literalText(rpcBody(request))}),`,
    `});`,
    `console.log(await response.json());`,
  ].join('\n');
}

/** The request as a curl command. `origin` is the whole URL of an RPC call; `token` is the bearer token, null when none is needed. */
export function curlText(
  request: SentRequest,
  { origin, token }: { readonly origin: string; readonly token: string | null },
): string {
  const { interface: of, method, path, input } = request;
  const isRpc = of === 'rpc';
  const isRead = !isRpc && method === 'GET';
  const url = isRpc ? origin : origin + path + (isRead ? queryText(membersOf(input) ?? {}) : '');
  const parts = [`curl -sS -X ${isRpc ? 'POST' : method} ${shellText(url)}`];
  // In double quotes, so that a variable is replaced.
  if (token !== null) parts.push(`-H "authorization: Bearer ${token}"`);
  if (!isRead && input !== null) {
    const body = JSON.stringify(isRpc ? rpcBody(request) : input);
    parts.push(`-H 'content-type: application/json'`, `-d ${shellText(body)}`);
  }
  return parts.join(' \\\n  ');
}

function askOf(request: SentRequest): Members {
  const id = idOf(request);
  return { ...(id === null ? {} : { id }), ...(request.input === null ? {} : { body: request.input }) };
}

/** The request as a step of a scenario, with the code of a refusal; null when the log does not have all of it. */
export function stepText(request: SentRequest): string | null {
  const { operation, input, code } = request;
  if (operation === null || !isWhole(request)) return null;
  const expect = code === null ? '' : `\n  expect: { code: ${code} }`;
  if (request.interface === 'control')
    return `- control: ${jsonText({ do: operation, ...askOf(request) })}${expect}`;
  const verb = OPERATIONS[operation]?.[0];
  if (verb === undefined) return null;
  const id = idOf(request);
  const args = { ...(id === null ? {} : { id }), ...membersOf(input) };
  return `- agent.${verb}: ${jsonText(args)}${expect}`;
}

/** The request as a program, null when the log does not have all of it. `origin` is the whole URL of an RPC call. */
export function programText(request: SentRequest, origin: string): string | null {
  if (request.interface === 'rpc') return rpcProgramText(request, origin);
  const { operation, input, wallet, path } = request;
  if (operation === null || !isWhole(request)) return null;
  const mount = mountOf(path);
  const control = `const control = new ControlClient({ origin: '${origin}${mount}' });`;
  if (request.interface === 'control') {
    const ask = askOf(request);
    const more = Object.keys(ask).length === 0 ? '' : `, ${literalText(ask)}`;
    return [
      `import { ControlClient } from 'agent-bank-sim';`,
      control,
      `console.log(await control.do('${operation}'${more}));`,
    ].join('\n');
  }
  const method = OPERATIONS[operation]?.[1];
  if (method === undefined || wallet === null) return null;
  const id = idOf(request);
  const body = membersOf(input) ?? {};
  const args = [id ?? [], Object.keys(body).length === 0 ? [] : body].flat().map(literalText);
  return [
    `import { AgentClient, AgentWallet, ControlClient } from 'agent-bank-sim';`,
    control,
    `const { wallets } = await control.do('wallets');`,
    `const known = wallets.find(({ address }) => address === '${wallet}');`,
    `const wallet = AgentWallet.fromSecretKey(known?.secretKey ?? process.env.SECRET_KEY ?? '');`,
    `const agent = new AgentClient({ baseUrl: '${origin}${mount}/api/v1', wallet });`,
    `console.log(await agent.${method}(${args.join(', ')}));`,
  ].join('\n');
}
