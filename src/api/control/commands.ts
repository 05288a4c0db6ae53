import { z } from 'zod';
import { EVENT_KINDS } from '../../runtime/due-runner.js';
import { count, instant, pageQuery } from '../../runtime/inspection/queries.js';
import {
  address,
  amount,
  amountOrNone,
  type Command,
  duration,
  token,
  get,
  post,
  remove,
} from './command.js';
import { ACCOUNTS } from './account-commands.js';
import { BOOKS, units } from './books-commands.js';
import { CHAIN } from './chain-commands.js';
import { CUSTOMERS } from './customer-commands.js';
import { EVENTS } from './event-commands.js';
import { FAULTS } from './fault-commands.js';
import { FORKS } from './fork-commands.js';
import { ORACLE } from './oracle-commands.js';
import { PAYMENTS } from './payment-commands.js';
import { RECORDINGS } from './recording-commands.js';
import { REVIEWS } from './review-commands.js';
import { SERIES } from './series-commands.js';
import type { ControlWorld } from './world.js';
import { SLOT_MS } from '../../chain/slots.js';
import { MOST_FACTOR, type TimeMode } from '../../world/clock.js';

export type { Command };

export { CONTROL_PATH } from './admission.js';

const time = (world: ControlWorld) => {
  const mode = world.timeMode();
  return {
    now: world.now().toISOString(),
    mode: mode.kind,
    factor: mode.kind === 'scaled' ? mode.factor : mode.kind === 'real' ? 1 : 0,
    slot: world.chain.slot(),
  };
};

const SERVICE = {
  variants: get('/variants', {
    summary: 'Show which variant of the published service the world implements',
    run: ({ config }) => config.variants,
  }),
  rpcUrl: get('/rpc', {
    summary: "Show the URL of the chain's RPC for this world; null when it is not served",
    run: (world) => {
      const url = world.rpcUrl();
      return { url: url === null ? null : url + world.mount };
    },
  }),
};

const oneOf = <T extends readonly z.ZodType[]>(names: string, forms: T) =>
  z.union(forms, `give one of ${names}`);

/** The most blocks of an advance: one day's. */
const MOST_BLOCKS = 86_400_000 / SLOT_MS;

/** The most events listed in the response to an advance. */
const MOST_LISTED = 10_000;

const modeCommand = (path: string, summary: string, mode: TimeMode) =>
  post(path, {
    summary,
    run: (world) => {
      world.setTime(mode);
      return time(world);
    },
  });

const TIME = {
  time: get('/time', {
    summary: 'Show the time and the mode of the clock',
    run: time,
  }),
  advance: post('/time/advance', {
    summary:
      'Advance the clock, running due events in order. The response lists the first 10,000; `omitted` counts the rest. If the caller closes the connection, the jump stops at the instant reached',
    isGated: true,
    body: oneOf('by, to, until and blocks', [
      z.strictObject({ by: duration }),
      z.strictObject({ to: instant.describe('instant to reach, ISO 8601') }),
      z.strictObject({
        blocks: z
          .int()
          .min(1)
          .max(MOST_BLOCKS)
          .describe(`advance by this number of blocks of ${SLOT_MS} ms: after 151, blockhashes have expired`),
      }),
      z.strictObject({
        until: z.enum(EVENT_KINDS).describe('stop at the first event of this kind'),
        within: duration
          .optional()
          .describe(
            'with `until`: advance this far if no event of this kind occurs (default: fail after 10y)',
          ),
      }),
    ]),
    run: async (world, { body, cause, signal }) => {
      const fired = await world.advance('by' in body ? body.by : body, { cause, signal });
      const isReached = !('until' in body) || fired.some(({ kind }) => kind === body.until);
      const listed = fired.slice(0, MOST_LISTED);
      const omitted = fired.length - listed.length;
      return { ...time(world), reached: isReached, fired: listed, ...(omitted === 0 ? {} : { omitted }) };
    },
  }),
  freeze: modeCommand('/time/freeze', 'Stop the clock', { kind: 'frozen' }),
  run: modeCommand('/time/run', 'Run the clock in real time', { kind: 'real' }),
  scale: post('/time/scale', {
    summary: 'Run the clock N times faster',
    body: z.strictObject({ factor: z.number().positive().max(MOST_FACTOR) }),
    run: (world, { body }) => {
      world.setTime({ kind: 'scaled', factor: body.factor });
      return time(world);
    },
  }),
};

const MONEY = {
  wallets: get('/wallets', {
    summary: 'List dev wallets and created wallets, with secret keys and on-chain balances',
    run: async (world) => ({
      wallets: await Promise.all(
        [...world.wallets, ...world.funding.made()].map(async (wallet) => ({
          ...wallet,
          balances: units(await world.chain.balances(wallet.address)),
        })),
      ),
    }),
  }),
  createWallet: post('/wallets', {
    isGated: true,
    summary: 'Create a wallet, optionally with SOL and USDC from the faucet',
    body: z.strictObject({
      SOL: amountOrNone.optional(),
      USDC: amountOrNone.optional(),
    }),
    run: async (world, { body, cause }) => {
      const { address: made, secretKey } = await world.funding.createFunded(body, cause);
      return { address: made, secretKey, balances: units(await world.chain.balances(made)) };
    },
  }),
  faucet: post('/faucet', {
    isGated: true,
    summary:
      'Send SOL or USDC (mainnet or devnet mint) from the faucet to an address by an ordinary transaction',
    body: z.strictObject({
      address,
      amount,
      token,
      network: z.enum(['mainnet', 'devnet']).optional().describe('network of the USDC mint'),
    }),
    run: async (world, { body, cause }) => {
      const { signature } = await world.funding.give(body, cause);
      return { signature, balances: units(await world.chain.balances(body.address)) };
    },
  }),
  deposit: post('/deposits', {
    isGated: true,
    summary:
      'Fund the checking account of a dev wallet or created wallet: faucet, on-chain transfer to the treasury, deposit',
    body: z.strictObject({ wallet: address, amount, token }),
    run: async (world, { body, cause }) => {
      const { deposit, balance } = await world.funding.deposit(body, cause);
      return {
        deposit: { ...deposit, amount: deposit.amount.toNumber() },
        signature: deposit.tx_signature,
        balance: {
          token: balance.token,
          previous: balance.previous.toNumber(),
          current: balance.current.toNumber(),
        },
      };
    },
  }),
  setBalance: post('/balances', {
    isGated: true,
    summary:
      "Write the on-chain balances of a wallet directly, bypassing transaction rules; refused for the bank's accounts",
    destroys: true,
    body: z.strictObject({ address, amount: amountOrNone, token }),
    run: async (world, { body }) => {
      await world.funding.setBalance(body);
      return { balances: units(await world.chain.balances(body.address)) };
    },
  }),
};

const instantName = z
  .string()
  .min(1)
  .max(100)
  .describe('now, the id of a snapshot or a fork, or a request (the world before it)');

const revertTo = (target: (id: string) => Parameters<ControlWorld['revert']>[0]) => ({
  isGated: true,
  body: z.strictObject({}),
  run: async (world: ControlWorld, { id }: { readonly id: string }) => {
    await world.revert(target(id));
    return { id, ...time(world) };
  },
});

const SNAPSHOTS = {
  snapshots: get('/snapshots', {
    summary: 'List snapshot ids, oldest first',
    run: (world) => ({ snapshots: world.snapshots() }),
  }),
  snapshot: post('/snapshots', {
    summary: 'Take a snapshot of the world',
    isGated: true,
    body: z.strictObject({}),
    run: async (world) => ({ id: await world.snapshot() }),
  }),
  revert: post('/snapshots/{id}/revert', {
    summary: 'Restore a snapshot, which stays available',
    destroys: true,
    ...revertTo((id) => id),
  }),
  history: get('/history', {
    summary:
      'Get a page of the requests before which a snapshot was kept, newest first: the latest that may write',
    query: pageQuery,
    run: (world, { query }) => world.history(query),
  }),
  compare: get('/differences', {
    summary:
      'Compare two instants of this world or its forks: balances, loans, accounts on chain, entries, events',
    isGated: true,
    query: z.strictObject({
      from: instantName,
      to: instantName.optional().describe('default: now'),
      limit: count(1, 1_000).optional().describe('maximum rows of each list, 1 to 1000 (default 100)'),
    }),
    run: (world, { query: { from, to, limit } }) => world.compare(from, to, limit),
  }),
  revertBefore: post('/history/{id}/revert', {
    summary: 'Restore the world as it was before a request, by its id or the number of one of its events',
    ...revertTo((before) => ({ before })),
  }),
  dropSnapshot: remove('/snapshots/{id}', {
    summary: 'Delete a snapshot',
    run: (world, { id }) => {
      world.deleteSnapshot(id);
      return { id, dropped: true };
    },
  }),
};

const STATE = {
  exportState: get('/state', {
    summary: 'Export the world as a state file',
    isGated: true,
    gives: 'bytes',
    query: z.strictObject({
      withKeys: z
        .enum(['true', 'false'])
        .optional()
        .describe('include secrets of tokens and receipts that do not derive from the seed'),
    }),
    run: (world, { query }) => world.exportState({ withKeys: query.withKeys === 'true' }),
  }),
  importState: post('/state', {
    summary: 'Import a state file with the same seed and rules; the engine may differ',
    destroys: true,
    isGated: true,
    takes: 'bytes',
    run: async (world, { bytes }) => {
      await world.importState(bytes);
      return { ...time(world), entries: world.books.entries() };
    },
  }),
};

export const COMMANDS = {
  ...TIME,
  ...MONEY,
  ...ACCOUNTS,
  ...ORACLE,
  ...REVIEWS,
  ...FAULTS,
  ...SNAPSHOTS,
  ...STATE,
  ...BOOKS,
  ...CUSTOMERS,
  ...CHAIN,
  ...SERIES,
  ...PAYMENTS,
  ...FORKS,
  ...EVENTS,
  ...SERVICE,
  ...RECORDINGS,
};
export type CommandId = keyof typeof COMMANDS;
