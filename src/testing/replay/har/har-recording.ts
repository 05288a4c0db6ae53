import { USDC_MINTS } from '../../../chain/genesis.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { KeyRing } from '../../../world/keys.js';
import {
  type CallLine,
  type InputLine,
  type Numbered,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type Recording,
} from '../../../api/recorder/format.js';
import { IdAliases } from '../../../api/recorder/id-aliases.js';
import { openingOf } from './opening.js';
import type { HarCall, HarSession } from './read-har.js';
import { transfer } from './transfers.js';
import { Callers, walletIn } from './who.js';
import { isObject, mapTexts } from '../../../core/json.js';

const SEED = 'har';
const BEFORE_MS = 60_000;
/** SOL for fees, and for the rent of accounts. */
const FEES_SOL = 1;

type Token = 'USDC' | 'SOL';

/** More than a chain can hold: 2^64 base units. */
const MOST: Readonly<Record<Token, number>> = { USDC: 2 ** 64 / 1e6, SOL: 2 ** 64 / 1e9 };

const IS_ID = /^(?:id|.*_id|.*Id|tx_signature|txSignature|signature|requestId|token|challenge)$/;

/** Converts the calls of a HAR file to recording lines, inserting what the simulator's world needs before each. */
class Writer {
  readonly lines: Numbered[] = [];
  readonly #ring = new KeyRing(SEED);
  readonly #names = new IdAliases([]);
  readonly #callers: Callers;
  readonly #calls: readonly HarCall[];
  readonly #wallets = new Map<string, string>();
  readonly #treasury = this.#ring.derive('treasury').address;
  #nowMs: number;
  #made = 0;

  constructor({ calls }: HarSession, startMs: number) {
    this.#calls = calls;
    this.#callers = new Callers(calls);
    this.#nowMs = startMs;
  }

  write(): void {
    for (const call of this.#calls) {
      const wallet = this.#callers.of(call);
      if (wallet !== null && !this.#wallets.has(wallet)) this.#introduce(wallet, call.number);
      if (call.atMs > this.#nowMs) {
        this.#setup(call.number, { at: this.#nowMs, kind: 'clock', to: call.atMs });
        this.#nowMs = call.atMs;
      }
      this.#evidence(call, wallet);
      this.#push(call.number, this.#line(call, wallet));
    }
  }

  #push(number: number, line: InputLine): void {
    this.lines.push({ number, line });
  }

  #setup(number: number, line: InputLine): void {
    this.#push(number, { ...line, setup: true });
  }

  /** Signs a wallet in with the funds it had when the session began. */
  #introduce(address: string, number: number): void {
    const name = `wallet-${this.#wallets.size + 1}`;
    this.#wallets.set(address, name);
    this.lines.push({ number, line: { kind: 'wallet', name, address, key: null } });
    const at = this.#nowMs;
    const challenge = `<opening-challenge of ${name}>`;
    const answered = (body: unknown) => ({ status: 200, body });
    const call = (line: Pick<CallLine, 'operation' | 'body' | 'answer'>) =>
      this.#setup(number, { at, kind: 'call', who: name, ...line });
    call({ operation: 'challenge', body: { wallet: address }, answer: answered({ challenge }) });
    const proof = { wallet: address, signature: '<signed>', message: challenge };
    call({ operation: 'verify', body: proof, answer: answered({}) });
    const { checking, savings } = openingOf(this.#calls.filter((each) => this.#callers.of(each) === address));
    for (const token of ['USDC', 'SOL'] as const) {
      const amount = Math.round((checking[token] + savings[token]) * 1e6) / 1e6;
      if (amount <= 0) continue;
      const signature = this.#send({ from: address, to: this.#treasury, amount, token }, number);
      if (signature === null) continue;
      const auth = `<token of ${name}>`;
      const body = { amount, token, tx_signature: signature };
      this.#setup(number, {
        at,
        kind: 'call',
        who: name,
        operation: 'deposit',
        auth,
        body,
        answer: answered({}),
      });
      if (savings[token] <= 0) continue;
      const saved = { amount: savings[token], token };
      this.#setup(number, {
        at,
        kind: 'call',
        who: name,
        operation: 'savingsDeposit',
        auth,
        body: saved,
        answer: answered({}),
      });
    }
  }

  /** Funds a sender and transfers; returns the alias of the transaction's signature. Null when the simulator would refuse the funding. */
  #send(
    moved: { readonly from: string; readonly to: string; readonly amount: number; readonly token: Token },
    number: number,
    signature?: string,
  ): string | null {
    const { from, amount, token } = moved;
    const canBe = isAddress(from) && amount > 0 && amount < MOST[token];
    this.#made += 1;
    const held = { SOL: token === 'SOL' ? FEES_SOL + amount : FEES_SOL, USDC: token === 'USDC' ? amount : 0 };
    for (const kind of ['SOL', 'USDC'] as const) {
      if (held[kind] === 0) continue;
      const body = { address: from, amount: held[kind], token: kind };
      const answer = { status: 200, body: {} };
      const command = { kind: 'control', command: 'setBalance', method: 'POST' } as const;
      this.#setup(number, { at: this.#nowMs, ...command, body, answer });
    }
    if (!canBe) return null;
    const name = signature ?? `<opening-signature-${this.#made}>`;
    const transaction = transfer({ ...moved, number: this.#made });
    const answer = { result: name, error: null };
    this.#setup(number, { at: this.#nowMs, kind: 'send', transaction, signature: name, answer });
    return name;
  }

  /** Recreates a transaction that the service found on its chain. */
  #evidence({ operation, status, body, answer, number }: HarCall, wallet: string | null): void {
    if (status !== 200 || wallet === null || !isObject(body)) return;
    const given = body['tx_signature'] ?? body['txSignature'];
    // The simulator itself sent those that appeared in an earlier answer.
    if (typeof given !== 'string' || this.#names.of(given) !== undefined) return;
    const token = (isObject(answer) ? answer['token'] : undefined) ?? body['token'] ?? 'USDC';
    const amount = (isObject(answer) ? answer['amount'] : undefined) ?? body['amount'];
    if (typeof amount !== 'number' || (token !== 'USDC' && token !== 'SOL')) return;
    const sender = isObject(answer) && typeof answer['sender'] === 'string' ? answer['sender'] : wallet;
    const isReceived = operation === 'x402Receive';
    const to = isReceived ? this.#ring.derive(`collection/${wallet}`).address : this.#treasury;
    this.#send(
      { from: isReceived ? sender : wallet, to, amount, token },
      number,
      this.#names.give('signature', given),
    );
  }

  #line(call: HarCall, wallet: string | null): CallLine {
    const { operation, params, query, key, body, status, answer, authorization } = call;
    const who = wallet === null ? undefined : this.#wallets.get(wallet);
    const code = isObject(answer) ? answer['code'] : undefined;
    const rejected = code === 'token_expired' ? 'expired' : 'wrong';
    const auth = authorization === null ? undefined : status === 401 ? rejected : `<token of ${who ?? ''}>`;
    const asked = operation === 'verify' ? this.#proof(body, status) : this.#named(body, false);
    return {
      at: this.#nowMs,
      kind: 'call',
      operation,
      ...(who === undefined ? {} : { who }),
      ...(auth === undefined ? {} : { auth }),
      ...(Object.keys(params).length === 0
        ? {}
        : { params: this.#named(params, false) as Record<string, string> }),
      ...(Object.keys(query).length === 0
        ? {}
        : { query: this.#named(query, false) as Record<string, string> }),
      ...(key === null ? {} : { key }),
      ...(asked === undefined ? {} : { body: asked }),
      answer: status === 0 ? null : { status, body: this.#named(answer ?? null, true) },
    };
  }

  #proof(body: unknown, status: number): unknown {
    if (!isObject(body)) return body;
    const { message } = body;
    const known = typeof message === 'string' ? this.#names.of(message) : undefined;
    const signature = status === 200 ? '<signed>' : '<signed wrongly>';
    return { wallet: walletIn(body) ?? body['wallet'], signature, message: known ?? '<unknown challenge>' };
  }

  /** Replaces ids, signatures and tokens by aliases: those from earlier answers, and, in an answer, new ones. */
  #named(value: unknown, isTold: boolean): unknown {
    return mapTexts(value, (text, member) => {
      const known = this.#names.of(text);
      if (known !== undefined) return known;
      if (isTold && IS_ID.test(member)) return this.#names.give('id', text);
      return text.startsWith('<') ? `<${text}` : text;
    });
  }
}

/** Converts a session of a deployed service to a recording for the simulator, with lines in between that set up missing state. */
export function recordingOfHar(
  session: HarSession,
  variants: Readonly<Record<string, unknown>> = {},
): Recording {
  const startMs = (session.calls[0]?.atMs ?? 0) - BEFORE_MS;
  const writer = new Writer(session, startMs);
  writer.write();
  const ring = new KeyRing(SEED);
  const facts = {
    treasury: ring.derive('treasury').address,
    usdcMint: USDC_MINTS.mainnet,
    network: 'mainnet',
    issuer: ring.derive('receipt-issuer').address,
  };
  return {
    path: session.path,
    header: {
      format: RECORDING_FORMAT,
      version: RECORDING_VERSION,
      software: {},
      seed: SEED,
      engine: 'litesvm',
      time: 'frozen',
      startTime: new Date(startMs).toISOString(),
      options: { variants },
      facts,
      state: null,
      source: { kind: 'har', baseUrl: session.baseUrl },
    },
    lines: writer.lines,
    isCut: false,
  };
}
