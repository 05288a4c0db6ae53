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
function idOf({ path, operation }: SentRequest, template: string | undefined): string | null {
  if (operation === 'loan' || operation === 'loanRepay') return /\/loans\/([^/]+)/.exec(path)?.[1] ?? null;
  if (template?.includes('{id}') !== true) return null;
  const [before = '', after = ''] = template.split('{id}');
  const rest = path.slice(path.indexOf('/_sim/v1') + '/_sim/v1'.length);
  return decodeURIComponent(rest.slice(before.length, rest.length - after.length));
}

/** A value as a literal of a language, which has its own texts and names of members. */
function literal(value: unknown, textOf: (text: string) => string, nameOf = textOf): string {
  const write = (each: unknown): string => {
    if (Array.isArray(each)) return `[${each.map(write).join(', ')}]`;
    if (typeof each === 'string') return textOf(each);
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    const texts = Object.entries(each).map(([name, member]) => `${nameOf(name)}: ${write(member)}`);
    return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`;
  };
  return write(value);
}

/** Texts that YAML reads as strings without quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z][A-Za-z0-9_-]*$/i;

/** A value in the flow style of YAML. */
export const flowText = (value: unknown): string =>
  literal(value, (text) => (PLAIN.test(text) ? text : JSON.stringify(text)));

function nameText(name: string): string {
  if (name === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

/** A value in TypeScript. */
export const literalText = (value: unknown): string =>
  literal(
    value,
    (text) => (/['\\\p{Cc}\u2028\u2029]/u.test(text) ? JSON.stringify(text) : `'${text}'`),
    nameText,
  );

const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Whether the log has the whole request. It does not when the body was large, or when a fault responded before the body was read. */
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

export function rpcCurlText(request: SentRequest, url: string): string {
  const body = shellText(JSON.stringify(rpcBody(request)));
  return `curl -sS ${shellText(url)} \\\n  -H 'content-type: application/json' \\\n  -d ${body}`;
}

/** An RPC call as a program without dependencies. */
export function rpcProgramText(request: SentRequest, url: string): string {
  return [
    `const response = await fetch(${literalText(url)}, {`,
    `  method: 'POST',`,
    `  headers: { 'content-type': 'application/json' },`,
    `  body: JSON.stringify(${literalText(rpcBody(request))}),`,
    `});`,
    `console.log(await response.json());`,
  ].join('\n');
}

/** The request as a curl command; `token` is the bearer token; null when none is needed. */
export function curlText(
  request: SentRequest,
  { origin, token }: { readonly origin: string; readonly token: string | null },
): string {
  const { method, path, input } = request;
  const isRead = method === 'GET';
  const parts = [
    `curl -sS -X ${method} ${shellText(origin + path + (isRead ? queryText(membersOf(input) ?? {}) : ''))}`,
  ];
  // In double quotes, so that a variable is replaced.
  if (token !== null) parts.push(`-H "authorization: Bearer ${token}"`);
  if (!isRead && input !== null) {
    parts.push(`-H 'content-type: application/json'`, `-d ${shellText(JSON.stringify(input))}`);
  }
  return parts.join(' \\\n  ');
}

/** The id and the body of a command. */
function askOf(request: SentRequest, template: string | undefined): Members {
  const id = idOf(request, template);
  return { ...(id === null ? {} : { id }), ...(request.input === null ? {} : { body: request.input }) };
}

/** The request as a step of a scenario, with the code of a refusal; null when the log does not have all of it. */
export function stepText(request: SentRequest, template?: string): string | null {
  const { operation, input, code } = request;
  if (operation === null || !isWhole(request)) return null;
  const expect = code === null ? '' : `\n  expect: { code: ${flowText(String(code))} }`;
  if (request.interface === 'control')
    return `- control: ${flowText({ do: operation, ...askOf(request, template) })}${expect}`;
  const verb = OPERATIONS[operation]?.[0];
  if (verb === undefined) return null;
  const id = idOf(request, template);
  const args = { ...(id === null ? {} : { id }), ...membersOf(input) };
  const title = `agent.${verb}`;
  return Object.keys(args).length === 0 && expect === '' && verb.includes('.')
    ? `- ${title}`
    : `- ${title}: ${flowText(args)}${expect}`;
}

/** The request as a program; null when the log does not have all of it. */
export function programText(
  request: SentRequest,
  { origin, template }: { readonly origin: string; readonly template?: string | undefined },
): string | null {
  const { operation, input, wallet, path } = request;
  if (operation === null || !isWhole(request)) return null;
  const mount = mountOf(path);
  const control = `const control = new ControlClient({ origin: '${origin}${mount}' });`;
  if (request.interface === 'control') {
    const ask = askOf(request, template);
    const more = Object.keys(ask).length === 0 ? '' : `, ${literalText(ask)}`;
    return [
      `import { ControlClient } from 'agent-bank-sim';`,
      control,
      `console.log(await control.do('${operation}'${more}));`,
    ].join('\n');
  }
  const method = OPERATIONS[operation]?.[1];
  if (method === undefined || wallet === null) return null;
  const id = idOf(request, template);
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
