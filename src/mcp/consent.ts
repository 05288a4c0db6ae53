import { createHash, randomBytes } from 'node:crypto';
import { isAddress } from '../core/domain/inputs.js';
import { amountOf } from '../core/domain/money.js';
import { asciiOnly } from '../core/printable.js';
import { type Money, allowedBase, moneyText } from './amounts.js';
import type { ConnectionOptions } from './connection-options.js';
import { ToolRefusal } from './tool-refusal.js';

/** A payment that a user is asked about, as it travels to the client and back, signed. */
export interface Approval {
  /** Hash of the tool and its arguments. */
  readonly call: string;
  readonly token: string;
  readonly amountBase: string;
  readonly to: string;
  /** Used once. */
  readonly nonce: string;
}

/** A payment and its recipient. */
export interface Payee extends Money {
  readonly to: string;
  /** The name of `to` in the arguments of the tool, such as `destination`. */
  readonly toName: string;
  /** The other members of the payment, by name. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The most characters of a text that a question shows. */
const SHOWN = 160;

function quoted(text: string): string {
  const shown = asciiOnly(JSON.stringify(text.slice(0, SHOWN)));
  return text.length <= SHOWN ? shown : `${shown} and ${text.length - SHOWN} more characters`;
}

/** The question about a payment: a line for each member. A text is quoted and in ASCII, so that none looks like another line. */
function questionOf({ token, amountBase, to, toName, texts }: Payee): string {
  return [
    'Make this payment?',
    `amount: ${amountOf(token, amountBase).toString()}`,
    `token: ${token}`,
    `${toName}: ${to}`,
    ...Object.entries(texts).map(([name, text]) => `${name}: ${quoted(text)}`),
  ].join('\n');
}

/** Thrown by a tool when the user must agree to its payment first. */
export class ConsentNeeded extends Error {
  override readonly name = 'ConsentNeeded';

  /** Present on the service's refusals, so that the paying client treats this as one: nothing was paid. */
  readonly status = 400;
  readonly code = 'consent_needed';

  constructor(
    readonly approval: Approval,
    readonly question: string,
  ) {
    super(question);
  }
}

/** Hash of a call: a tool and its arguments. */
export function callHash(name: string, args: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64url');
}

/** What a call may pay: its client's limits, and the user's consent. */
export interface PaymentRules {
  readonly options: ConnectionOptions;
  readonly consent: {
    /** The hash of the call. */
    readonly call: () => string;
    readonly canAsk: boolean;
    /** An approval that the user has given, unused until now. It is valid for one payment, which the paying client may try several times. */
    readonly approved: Approval | null;
  };
}

/**
 * Returns when a payment may be made. Throws ConsentNeeded, and ToolRefusal when the recipient is not an address or the client cannot ask.
 */
export function requireConsent({ options, consent }: PaymentRules, payment: Payee): void {
  const { token, amountBase, to, toName } = payment;
  const { confirmAbove } = options;
  const { call, canAsk, approved } = consent;
  if (confirmAbove === null || amountBase <= allowedBase(confirmAbove, token)) return;
  if (!isAddress(to)) throw new ToolRefusal('invalid_wallet', `${toName}: must be a Solana address`);
  const isOfIt = approved?.call === call() && approved.token === token && approved.to === to;
  if (isOfIt && amountBase <= BigInt(approved.amountBase)) return;
  if (!canAsk)
    throw new ToolRefusal(
      'consent_unavailable',
      `Paying ${moneyText(payment)} to ${to} needs the consent of the user, and this client cannot ask (it lacks the capability elicitation). Nothing was paid.`,
    );
  const nonce = randomBytes(12).toString('base64url');
  throw new ConsentNeeded(
    { call: call(), token, amountBase: amountBase.toString(), to, nonce },
    questionOf(payment),
  );
}
