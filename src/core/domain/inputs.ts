import bs58 from 'bs58';
import { type Base, TOKENS, type Token, amountOf, parseAmount } from './money.js';
import { type Result, ok, refuse } from './result.js';
import type { Agent, State } from './state.js';
import { shortText } from './short-text.js';

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;

function decodesTo(text: string, bytes: number): boolean {
  return BASE58.test(text) && bs58.decodeUnsafe(text)?.length === bytes;
}

/** Whether `text` is the base58 form of 32 bytes, as every Solana address is. */
export function isAddress(text: unknown): boolean {
  return typeof text === 'string' && text.length >= 32 && text.length <= 44 && decodesTo(text, 32);
}

/** Throws RangeError for a text that is not an address. */
export function checkAddress(text: unknown): void {
  if (typeof text !== 'string' || !isAddress(text))
    throw new RangeError(`not a Solana address: ${shortText(String(text))}`);
}

/** Whether `text` is the base58 form of 64 bytes, as every Solana signature is. */
export function isSignature(text: string): boolean {
  return text.length >= 64 && text.length <= 88 && decodesTo(text, 64);
}

/** The token with that name; refuses `unsupported_token`. */
export function parseToken(name: string): Result<Token> {
  const token = TOKENS.find((known) => known === name);
  return token === undefined ? refuse('unsupported_token', { token: name, supported: TOKENS }) : ok(token);
}

/** Returns the address; refuses `invalid_wallet` when it is not base58 of 32 bytes. */
export function parseWallet(address: string): Result<string> {
  if (isAddress(address)) return ok(address);
  return refuse('invalid_wallet', { wallet: address.slice(0, 64), reason: 'not base58 of 32 bytes' });
}

// Programs and sysvars of Solana, and the incinerator: a name padded with 1s, which are zeros, to 32 bytes.
const RESERVED = /1{10}$/;

/** Programs of every cluster whose names have another ending: Token, Token-2022, Associated Token Account, and the Memos. */
const COMMON_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

/** Whether an address belongs to a program or a sysvar of every cluster, or is the incinerator: no key can sign for it. */
export function isReservedAddress(address: string): boolean {
  return RESERVED.test(address) || COMMON_PROGRAMS.has(address);
}

/** The address to send a token to: a wallet, but neither the treasury nor an address of Solana itself. */
export function parseRecipient(address: string, treasury: string): Result<string> {
  const wallet = parseWallet(address);
  if (!wallet.ok) return wallet;
  if (address === treasury)
    return refuse('invalid_wallet', { wallet: address, reason: "the bank's own treasury" });
  if (isReservedAddress(address))
    return refuse('invalid_wallet', { wallet: address, reason: 'a reserved address, which has no key' });
  return wallet;
}

/** Parses the token first, then the amount: the precedence of their refusals. */
export function parseTokenAmount(input: {
  token: string;
  amount: unknown;
}): Result<{ token: Token; amount: Base }> {
  const token = parseToken(input.token);
  if (!token.ok) return token;
  const amount = parseAmount(input.amount, token.value);
  return amount.ok ? ok({ token: token.value, amount: amount.value }) : amount;
}

/** The customer with this wallet. Throws for an unknown wallet: callers are authenticated customers. */
export function customer(state: State, wallet: string | null): Agent {
  const agent = wallet === null ? undefined : state.agents.get(wallet);
  if (agent === undefined) throw new Error(`no customer has the wallet ${wallet}`);
  return agent;
}

/** The refusal of an amount above a customer's checking balance. Base units. */
export function insufficientBalance(token: Token, available: bigint, requested: bigint): Result<never> {
  return refuse('insufficient_balance', {
    token,
    available: amountOf(token, available),
    requested: amountOf(token, requested),
  });
}
