import { z } from 'zod';
import type { RanTransaction, RpcFault, RpcReply } from '../world.js';
import { type Attempt, type Shown, lamportsOf } from './attempt.js';
import { SYSVARS } from './instructions.js';
import { landed, transactionOf } from './landed.js';
import { RpcClient, differs } from './rpc-client.js';

/** What became of an attempt. */
export interface Seen {
  /** `refused`: it did not run. */
  readonly ran: RanTransaction | 'refused';
  /** What is told of it, as JSON; null when it did not run. */
  readonly told: string | null;
  /** How JSON-RPC contradicts itself or the rules; null if it does not. */
  readonly deviation: string | null;
}

const AT = { commitment: 'processed' } as const;

/** The codes of what cannot be read and of a node that is not healthy, and those of a preflight that fails and of a wrong signature. Source: rpc-client-api of Agave, custom_error. */
const UNREADABLE = -32_602;
const UNHEALTHY = -32_005;
const REFUSALS: ReadonlySet<number> = new Set([-32_002, -32_003, UNREADABLE]);

const INDEX = z.int().min(0);
const NAME = z.string().regex(/^[A-Z][A-Za-z0-9]+$/);
/** The errors of transactions as a cluster writes them. Source: solana-sdk, TransactionError and InstructionError. */
const TRANSACTION_ERROR = z.union([
  z.null(),
  NAME,
  z.strictObject({
    InstructionError: z.tuple([
      INDEX,
      z.union([
        NAME,
        z.strictObject({ Custom: INDEX }),
        z.strictObject({ BorshIoError: z.union([z.string(), z.null()]) }),
      ]),
    ]),
  }),
  z.strictObject({ InsufficientFundsForRent: z.strictObject({ account_index: INDEX }) }),
  z.strictObject({ DuplicateInstruction: INDEX }),
]);

/** A node's client that compares all that its methods tell of one transaction. */
export class Witness extends RpcClient {
  async accounts(addresses: readonly string[]): Promise<readonly (Shown | null)[]> {
    const options = { ...AT, encoding: 'base64' };
    const { value } = await this.result<{ value: (Shown | null)[] }>(
      'getMultipleAccounts',
      addresses,
      options,
    );
    return withoutSysvars(addresses, value);
  }

  /** The data of an account; empty when there is none. */
  async dataOf(address: string): Promise<Buffer> {
    const options = { ...AT, encoding: 'base64' };
    const { value } = await this.result<{ value: Shown | null }>('getAccountInfo', address, options);
    return Buffer.from(value?.data[0] ?? '', 'base64');
  }

  /** A blockhash for a new transaction, and how what is told of it and of the time contradicts itself. */
  async blockhash(nowMs: number): Promise<{ blockhash: string; deviation: string | null }> {
    type Latest = { value: { blockhash: string; lastValidBlockHeight: number } };
    const { value } = await this.result<Latest>('getLatestBlockhash', AT);
    const { blockhash, lastValidBlockHeight } = value;
    const height = await this.result<number>('getBlockHeight', AT);
    const left = lastValidBlockHeight - height;
    const isValid = await this.result<{ value: boolean }>('isBlockhashValid', blockhash, AT);
    const clock = await this.dataOf(SYSVARS.clock);
    const deviation =
      differs('slot of the clock', Number(clock.readBigUInt64LE(0)), await this.result('getSlot', AT)) ??
      differs('time of the clock', Number(clock.readBigInt64LE(32)), Math.floor(nowMs / 1_000)) ??
      (left > 0 && left <= 150
        ? differs('validity of the latest blockhash', isValid.value, true)
        : `rpc blocks of the latest blockhash: ${left}`);
    return { blockhash, deviation };
  }

  /** How what is told now of transactions differs from what was told of them when they had run. */
  async changed(told: ReadonlyMap<string, string>): Promise<string | null> {
    for (const [signature, before] of told) {
      const now = JSON.stringify(await transactionOf(this, signature));
      // A fault may keep it from being confirmed for a while.
      if (now === 'null' && (await this.#isHeld(signature))) continue;
      if (now !== before) return `rpc transaction told of again: ${now}, not ${before}`;
    }
    return null;
  }

  async #isHeld(signature: string): Promise<boolean> {
    type Statuses = { value: ({ confirmationStatus: string } | null)[] };
    const { value } = await this.result<Statuses>('getSignatureStatuses', [signature]);
    return value[0]?.confirmationStatus === 'processed';
  }

  /** How what a wallet holds differs from what it should hold, in base units. */
  async held(wallet: string, account: string, holds: { USDC: bigint; SOL: bigint }): Promise<string | null> {
    const { value: lamports } = await this.result<{ value: number }>('getBalance', wallet, AT);
    type Balance = { value: { amount: string } };
    const reply = await this.call('getTokenAccountBalance', account, AT);
    const tokens = 'error' in reply ? '0' : (reply.result as Balance).value.amount;
    return (
      differs('balance of a wallet', lamports, Number(holds.SOL)) ??
      differs('balance of a token account', tokens, holds.USDC.toString())
    );
  }

  /** Sends what is no valid transaction: it must be refused, for a reason if there is one to expect, and change nothing. */
  async refused(
    text: string,
    { encoding, message, before, expected }: Attempt,
    isUnreadable: boolean,
  ): Promise<string | null> {
    const options = { ...AT, encoding };
    const simulated = await this.call('simulateTransaction', text, { ...options, sigVerify: true });
    const sent = await this.call('sendTransaction', text, { encoding, preflightCommitment: 'processed' });
    const hasFailed = (reply: RpcReply) =>
      'error' in reply || (reply.result as { value: { err: unknown } }).value.err !== null;
    if (!('error' in sent)) return 'rpc sendTransaction of a damaged transaction: accepted';
    const { code, message: why, data } = sent.error;
    if (isUnreadable ? code !== UNREADABLE : !REFUSALS.has(code))
      return `rpc code for a damaged transaction: ${code} ${why}`;
    const reason = (data as { err?: unknown } | undefined)?.err;
    const other = expected === undefined ? null : differs('error of a damaged transaction', reason, expected);
    if (other !== null) return other;
    if (!hasFailed(simulated)) return 'rpc simulateTransaction of a damaged transaction: accepted';
    return differs('accounts after a damaged transaction', await this.accounts(message.addresses), before);
  }

  /** Simulates and sends a transaction, and compares what is told of it. */
  async sent(attempt: Attempt): Promise<Seen> {
    const { message, before, text, encoding, signature, skipPreflight } = attempt;
    const { addresses } = message;
    const count = await this.result<number>('getTransactionCount', AT);
    const options = { ...AT, encoding };
    const fixed = addresses.slice(0, message.fixed);
    // Of a transaction whose lookup fails, no others may be asked for.
    const wishes = { sigVerify: true, accounts: { encoding: 'base64', addresses: fixed } };
    interface Simulated {
      readonly err: unknown;
      readonly fee: number | null;
      readonly accounts: (Shown | null)[];
      readonly preBalances: number[] | null;
      readonly postBalances: number[] | null;
      readonly logs: readonly string[] | null;
      readonly unitsConsumed: number | null;
      readonly returnData?: unknown;
    }
    const { value: trial } = await this.result<{ value: Simulated }>('simulateTransaction', text, {
      ...options,
      ...wishes,
    });
    const body = Buffer.from(message.bytes).toString('base64');
    const { value: asked } = await this.result<{ value: number | null }>('getFeeForMessage', body, AT);
    const told = await this.call('sendTransaction', text, {
      encoding,
      skipPreflight,
      preflightCommitment: 'processed',
    });
    const after = await this.accounts(addresses);
    const counted = (await this.result<number>('getTransactionCount', AT)) - count;
    const { value: statuses } = await this.result<{ value: ({ err: unknown; slot: number } | null)[] }>(
      'getSignatureStatuses',
      [signature],
    );
    const [status = null] = statuses;
    const expectation = !TRANSACTION_ERROR.safeParse(trial.err).success
      ? `rpc error of no known form: ${JSON.stringify(trial.err)}`
      : attempt.expected === undefined
        ? null
        : differs('error of a simulation', trial.err, attempt.expected);
    const refusal = 'error' in told ? (told.error.data as { err?: unknown } | undefined)?.err : null;
    if (status === null) {
      const deviation =
        expectation ??
        (trial.err === null ? 'rpc sending what a simulation accepts: refused' : null) ??
        (skipPreflight ? null : differs('error of preflight', refusal, trial.err)) ??
        differs('transactions after a refusal', counted, 0) ??
        differs('accounts after a refusal', after, before);
      return { ran: 'refused', told: null, deviation };
    }
    const same =
      expectation ??
      ('error' in told
        ? 'rpc answer to what has run: an error'
        : differs('signature of what has run', told.result, signature)) ??
      differs('error of what has run', status.err, trial.err);
    const { ran, told: record, log, deviation } = await landed(this, attempt, after);
    return {
      ran,
      told: record,
      deviation:
        same ??
        deviation ??
        differs('transactions counted', counted, 1) ??
        differs('fee of a message', asked, Number(attempt.feeLamports)) ??
        differs('fee of a simulation', trial.fee, Number(attempt.feeLamports)) ??
        (trial.err === null
          ? differs(
              'accounts of a simulation',
              withoutSysvars(fixed, trial.accounts),
              after.slice(0, fixed.length),
            )
          : null) ??
        differs('data that a simulation returns', trial.returnData ?? null, null) ??
        differs('log of a simulation', [trial.logs, trial.unitsConsumed], log) ??
        differs('balances before, of a simulation', trial.preBalances, lamportsOf(before)) ??
        differs('balances after, of a simulation', trial.postBalances, lamportsOf(after)),
    };
  }

  /** Sends what a fault keeps from the chain: nothing may run, whatever its sender is told. */
  async keptAway(
    { message, before, text, encoding, signature, skipPreflight }: Attempt,
    fault: RpcFault,
  ): Promise<string | null> {
    const count = await this.result<number>('getTransactionCount', AT);
    const { value: trial } = await this.result<{ value: { err: unknown } }>('simulateTransaction', text, {
      ...AT,
      encoding,
      sigVerify: true,
    });
    const told = await this.troubled(fault, 'sendTransaction', text, {
      encoding,
      skipPreflight,
      preflightCommitment: 'processed',
    });
    const { value: statuses } = await this.result<{ value: unknown[] }>('getSignatureStatuses', [signature]);
    const isAccepted =
      fault.mishap !== 'chain-unavailable' &&
      (skipPreflight || (fault.mishap === 'lost-transaction' && trial.err === null));
    const error = fault.mishap === 'expired-blockhash' ? 'BlockhashNotFound' : trial.err;
    const answer = () => {
      if ('result' in told)
        return isAccepted
          ? differs('signature of what is kept away', told.result, signature)
          : 'rpc answer to what is kept away: accepted';
      const { code, data } = told.error;
      if (isAccepted) return `rpc answer to what is kept away: ${code}`;
      // A node knows its blockhashes before it asks the chain.
      const isKnown = skipPreflight || trial.err !== 'BlockhashNotFound';
      if (fault.mishap === 'chain-unavailable' && isKnown)
        return differs('code of an unhealthy node', code, UNHEALTHY);
      return differs('error of what is kept away', (data as { err?: unknown } | undefined)?.err, error);
    };
    return (
      answer() ??
      differs('status of what is kept away', statuses, [null]) ??
      differs('transactions after one is kept away', await this.result('getTransactionCount', AT), count) ??
      differs('accounts after one is kept away', await this.accounts(message.addresses), before)
    );
  }

  /** Sends again what has run: it must not run twice. */
  async again({ text, encoding, message, skipPreflight }: Attempt): Promise<string | null> {
    const { addresses } = message;
    const before = await this.accounts(addresses);
    const told = await this.call('sendTransaction', text, { encoding, skipPreflight });
    if (!skipPreflight && 'result' in told) return 'rpc sending a transaction twice: accepted';
    return differs('accounts after sending a transaction twice', await this.accounts(addresses), before);
  }
}

/** The accounts without the data of sysvars, which changes with the slot. */
function withoutSysvars(
  addresses: readonly string[],
  accounts: readonly (Shown | null)[],
): readonly (Shown | null)[] {
  return accounts.map((account, at) =>
    account !== null && addresses[at]?.startsWith('Sysvar') === true
      ? { ...account, data: ['', 'base64'] }
      : account,
  );
}
