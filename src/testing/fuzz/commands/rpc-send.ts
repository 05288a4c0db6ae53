import bs58 from 'bs58';
import { RENT_MINIMUM } from '../model/amounts.js';
import type { Transfer } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Random } from '../random.js';
import { Builder, type NewTable, type RpcSend, feeOf } from '../rpc/builder.js';
import { NONCE_RENT, seededAddress, tableRent } from '../rpc/instructions.js';
import {
  type Content,
  DAMAGES,
  FLAWS,
  type Flaw,
  type Message,
  PACKET_BYTES,
  compiled,
  signed,
} from '../rpc/message.js';
import { type Attempt, ENCODINGS, type Shown } from '../rpc/attempt.js';
import { Witness } from '../rpc/witness.js';
import type { Step } from '../step.js';
import { RPC_MISHAPS } from '../world.js';
import type { Command, Drawn } from './command.js';
import { reported } from './sends.js';

/** Lamports: too little for an account, its minimum, usual amounts, and more than anybody has. */
const AMOUNTS = [1, 890_879, 890_880, 5_000_000, 1_000_000_000, 2_500_000_000, 4_000_000_000_000_000];
const MEMOS = ['a', 'for lunch', 'für später', '"quoted" [7] text'];
const UNITS = [300, 60_000, 200_001, 1_400_000, 1_400_001];
const PRICES = [1, 999_999, 1_000_000];
/** Flaws of what can be read: the version of a legacy message has no byte, and the one in its place is of a signature. */
const READABLE: ReadonlySet<string> = new Set(['signature', 'version', 'place']);

/** Transactions that each later step looks up again. */
const MOST_TOLD = 3;

function drawLifetime(random: Random, { memory }: ModelRunner, by: string): { lifetime?: string } {
  if (random.chance(5)) return { lifetime: 'unknown' };
  const own = memory.nonces.filter(({ authority }) => authority === by);
  return own.length > 0 && random.chance(40) ? { lifetime: random.pick(own).reference } : {};
}

function draw(random: Random, runner: ModelRunner): Drawn {
  const { names, strangers, memory } = runner;
  const by = random.pick(names);
  const others = names.filter((name) => name !== by);
  const destinations = [
    '${treasury}',
    '${treasury}',
    ...names.flatMap((name) => [`\${${name}}`, `\${${name}.collection}`]),
    ...strangers,
  ];
  const transfers = Array.from({ length: random.below(4) }, () => ({
    to: random.pick(destinations),
    lamports: random.chance(90) ? random.pick(AMOUNTS.slice(0, -1)) : (AMOUNTS.at(-1) as number),
  }));
  const version = random.chance(50) ? 0 : 'legacy';
  const hasMemo = random.chance(40);
  const table =
    version === 0 && memory.tables.length > 0 && random.chance(70) ? random.pick(memory.tables) : null;
  // Only with a table can one of its places be missing.
  const flaws = [...(table === null ? [] : Array<Flaw>(6).fill('place')), ...FLAWS, ...Object.keys(DAMAGES)];
  const args = {
    version,
    transfers,
    ...(hasMemo ? { memo: random.pick(MEMOS) } : {}),
    ...(hasMemo && random.chance(20) ? { fill: random.pick([0, 0, 1]) } : {}),
    ...(random.chance(40) ? { units: random.pick(UNITS) } : {}),
    ...(random.chance(40) ? { price: random.pick(PRICES) } : {}),
    ...(hasMemo && others.length > 0 && random.chance(30) ? { cosigner: random.pick(others) } : {}),
    ...drawLifetime(random, runner, by),
    ...(table === null ? {} : { table: table.reference }),
    ...(random.chance(15) ? { creates: random.chance(50) ? 'nonce' : 'table' } : {}),
    encoding: random.pick(ENCODINGS),
    skipPreflight: random.chance(40),
    ...(random.chance(15) ? { flaw: random.pick(flaws) } : {}),
    ...(random.chance(10) ? { mishap: random.pick(RPC_MISHAPS) } : {}),
    ...(random.chance(20) ? { again: true } : {}),
  };
  return { do: 'rpcSend', by, with: args };
}

/** What a transaction moves besides its fee, as transfers of lamports. */
function transfersOf(
  by: string,
  args: RpcSend,
  { nonce, table }: { nonce: string | null; table: NewTable | null },
) {
  const list: Transfer[] = args.transfers.map(({ to, lamports }) => ({
    from: by,
    to,
    token: 'SOL',
    amountBase: BigInt(lamports),
  }));
  if (nonce !== null) list.push({ from: by, to: nonce, token: 'SOL', amountBase: NONCE_RENT });
  if (table !== null) {
    const amountBase = tableRent(table.addresses.length);
    list.push({ from: by, to: table.address, token: 'SOL', amountBase });
  }
  return list;
}

/** What each account has more after some transfers. */
function movesOf(transfers: readonly Transfer[]): ReadonlyMap<string, bigint> {
  const moves = new Map<string, bigint>();
  for (const { from, to, amountBase } of transfers) {
    moves.set(from, (moves.get(from) ?? 0n) - amountBase);
    moves.set(to, (moves.get(to) ?? 0n) + amountBase);
  }
  return moves;
}

/** The error that the rules of the chain give a transaction of transfers alone; undefined where more decides. */
function expectedError(
  content: Content,
  {
    args,
    accounts,
    feeLamports,
  }: { args: RpcSend; accounts: ReadonlyMap<string, Shown | null>; feeLamports: bigint },
): unknown {
  if (args.lifetime === 'unknown') return 'BlockhashNotFound';
  const { payer } = content;
  const held = new Map([...accounts].map(([address, shown]) => [address, BigInt(shown?.lamports ?? 0)]));
  const isPoor = (lamports: bigint) => lamports > 0n && lamports < RENT_MINIMUM;
  if (
    [...held].some(
      ([address, lamports]) => lamports !== 1n && isPoor(lamports) && accounts.get(address)?.data[0] === '',
    )
  )
    return undefined;
  // Too few units, or none at all on a runtime that allows them by instruction.
  const isShort = args.units === undefined ? args.transfers.length === 0 : args.units < 60_000;
  if (args.creates !== undefined || isShort) return undefined;
  const budget = (held.get(payer) ?? 0n) - feeLamports;
  if (budget < RENT_MINIMUM) return undefined;
  held.set(payer, budget);
  const before = [args.lifetime, args.units, args.price].filter((each) => each !== undefined).length;
  for (const [at, { to, lamports }] of args.transfers.entries()) {
    const left = (held.get(payer) ?? 0n) - BigInt(lamports);
    if (left < 0n) return { InstructionError: [before + at, { Custom: 1 }] };
    held.set(payer, left);
    held.set(to, (held.get(to) ?? 0n) + BigInt(lamports));
  }
  const touched = [payer, ...args.transfers.map(({ to }) => to)];
  return touched.some((address) => isPoor(held.get(address) ?? 0n)) ? undefined : null;
}

/** Whether a message has what a flaw is about. */
function hasPlaceFor(flaw: Flaw, { keys, fixed }: Message, { instructions }: Content): boolean {
  if (flaw === 'twice') return true;
  return flaw === 'place' ? keys.length > fixed : instructions.length > 0;
}

function isFlawed(flaw: string | undefined): flaw is Flaw {
  return FLAWS.some((known) => known === flaw);
}

async function play(step: Step, runner: ModelRunner): Promise<Played> {
  const args = runner.resolve(step.with) as unknown as RpcSend;
  const witness = new Witness(runner.world);
  const { world, memory } = runner;
  const { blockhash, deviation } = await witness.blockhash(world.nowMs());
  const wallet = runner.address(step.by ?? '');
  const wrong =
    deviation ??
    (await witness.held(wallet, world.tokenAccountOf(wallet), world.holdings(wallet))) ??
    (await witness.changed(memory.told));
  if (wrong !== null) return { outcome: 'ok', deviation: wrong };
  const builder = new Builder(step, args, { runner, witness, blockhash });
  const table = await builder.newTable();
  const bare = await builder.content(table);
  if (bare === null || (args.creates === 'table' && table === null))
    return { outcome: 'idle', deviation: null };
  const content = builder.filled(bare);
  const message = compiled(content, isFlawed(args.flaw) ? args.flaw : null);
  const bytes = signed(message, builder.wallets);
  const textOf = (part: Uint8Array) =>
    args.encoding === 'base64' ? Buffer.from(part).toString('base64') : bs58.encode(part);
  const { payer } = content;
  const nonce = args.creates === 'nonce' ? seededAddress(payer, builder.nonceSeed) : null;
  const transfers = transfersOf(payer, args, { nonce, table });
  const feeLamports = feeOf(content, builder.wallets.length, args, world.engine);
  const before = await witness.accounts(message.addresses);
  const accounts = new Map(message.addresses.map((address, at) => [address, before[at] ?? null]));
  const note =
    args.memo === undefined ? null : Buffer.from(content.instructions.at(-1)?.data ?? []).toString();
  const attempt: Attempt = {
    message,
    before,
    signature: bs58.encode(bytes.subarray(1, 65)),
    text: textOf(bytes),
    encoding: args.encoding,
    skipPreflight: args.skipPreflight,
    feeLamports,
    memo: note,
    expected: expectedError(content, { args, accounts, feeLamports }),
    moves: movesOf(transfers),
    isWritten: memory.isWritten,
  };
  const damage = args.flaw === undefined ? undefined : DAMAGES[args.flaw];
  const isDamaged = damage !== undefined || (isFlawed(args.flaw) && hasPlaceFor(args.flaw, message, content));
  if (isDamaged || bytes.length > PACKET_BYTES) {
    // A place that the table does not have is found before anything but the blockhash is looked at.
    const isAtPlace = args.flaw === 'place' && args.lifetime !== 'unknown' && bytes.length <= PACKET_BYTES;
    const expected = isAtPlace ? 'InvalidAddressLookupTableIndex' : undefined;
    const isUnreadable = bytes.length > PACKET_BYTES || !READABLE.has(args.flaw ?? '');
    const sent = { ...attempt, expected };
    return {
      outcome: 'damaged',
      deviation: await witness.refused(textOf(damage?.(bytes) ?? bytes), sent, isUnreadable),
    };
  }
  if (args.mishap !== undefined) {
    const contradiction = await witness.keptAway(attempt, { mishap: args.mishap, wallet: payer });
    if (contradiction !== null || args.again !== true)
      return { outcome: args.mishap, deviation: contradiction };
  }
  const seen = await witness.sent(attempt);
  if (seen.ran === 'refused') return { outcome: 'refused', deviation: seen.deviation };
  const played = reported(step, runner, seen.ran, { transfers });
  if (seen.told !== null && memory.told.size < MOST_TOLD) memory.told.set(seen.ran.signature, seen.told);
  if (played.outcome === 'ok') {
    if (nonce !== null)
      memory.nonces.push({ reference: runner.keep(step, 'nonce', nonce), authority: step.by ?? '' });
    if (table !== null) {
      const { address, addresses } = table;
      memory.tables.push({ reference: runner.keep(step, 'table', address), address, addresses });
    }
  }
  const twice = seen.deviation === null && args.again === true;
  return { ...played, deviation: twice ? await witness.again(attempt) : seen.deviation };
}

/**
 * A transaction by JSON-RPC in any form that clients use, and whether all methods tell the same of it. It takes as long as ten calls of
 * the bank.
 */
export const RPC_SEND: Command = { name: 'rpcSend', weight: 0.3, draw, play };
