import { z } from 'zod';
import { MAX_BODY_BYTES } from '../api/http/body.js';
import { COMMANDS } from '../api/control/commands.js';
import { type EndpointId, endpoints } from '../contract/endpoints.js';
import { BANK_LIMITS } from '../core/domain/bank-limits.js';
import { LAST_INSTANT_MS, isInstant } from '../core/domain/calendar.js';
import { isAddress } from '../core/domain/inputs.js';
import { DEFAULT_VARIANTS } from '../core/domain/variants.js';
import { timeText } from '../runtime/config.js';

export const RECORDING_FORMAT = 'agent-bank-sim recording';
export const RECORDING_VERSION = 2;

/** Commands that are not recorded: they have a binary body, or concern the log, requests or recordings, which are not part of the world. */
const APART = new Set([
  'events',
  'explain',
  'customers',
  'customer',
  'requestSeries',
  'history',
  'revertBefore',
  'compare',
  'exportJournal',
  'exportState',
  'importState',
  'startRecording',
  'stopRecording',
  'scenarioOfRecording',
  'recording',
]);

export function isRecorded(command: string): boolean {
  return !APART.has(command);
}

type CommandId = keyof typeof COMMANDS;

const OPERATIONS = Object.keys(endpoints(DEFAULT_VARIANTS)) as EndpointId[];
const RECORDED_COMMANDS = Object.keys(COMMANDS).filter(isRecorded) as CommandId[];

const address = z.string().refine(isAddress, 'no address');
/** Milliseconds since 1970. */
const instantMs = z.int().min(-LAST_INSTANT_MS).max(LAST_INSTANT_MS);
const texts = z.record(z.string(), z.string());
/** Part of a URL. */
const id = z.string().refine((text) => !/\p{Surrogate}/u.test(text), 'cannot be part of a URL');
const members = z.record(z.string(), z.unknown());

/**
 * The options that define a world, without seed, engine, time and its state. A recording cannot set other options: these options cannot
 * affect anything outside the world, which validates their values.
 */
const options = z.strictObject({
  variants: members.optional(),
  limits: members.refine((limits) => Object.keys(limits).every((name) => name in BANK_LIMITS)).optional(),
  oracle: members.optional(),
  withdrawalDelay: z.unknown().optional(),
  confirmationSlots: z.array(z.int()).optional(),
});

/** The first line of a recording: the world at its start. */
export const recordingHeader = z.object({
  format: z.literal(RECORDING_FORMAT),
  version: z.literal(RECORDING_VERSION),
  software: z.record(z.string(), z.string()),
  seed: z.string(),
  engine: z.enum(['bankrun', 'litesvm']),
  time: timeText,
  startTime: z.string().refine(isInstant, 'no instant'),
  options,
  facts: z.object({ treasury: address, usdcMint: address, network: z.string(), issuer: address }),
  /** The state file of the world when the recording started, in base64; null for a new world. */
  state: z.string().nullable(),
});

/** An HTTP response; null when a fault has lost it. */
const response = z.object({ status: z.int(), body: z.unknown() }).nullable();

/** A wallet that calls or signs; it precedes the first line that mentions it. */
const walletLine = z.object({
  kind: z.literal('wallet'),
  name: z.string(),
  address,
  /** The name of its key in the key ring of the seed; null for an external wallet, for which a substitute signs. */
  key: z.string().nullable(),
});

const callLine = z.object({
  at: instantMs,
  kind: z.literal('call'),
  operation: z.enum(OPERATIONS, { error: ({ input }) => `unknown operation ${JSON.stringify(input)}` }),
  who: z.string().optional(),
  /** `<token-n>`, `<token of NAME>`, or the reason why it was invalid: `wrong`, `malformed`, `expired`. Absent without a header. */
  auth: z.string().optional(),
  params: z.record(z.string(), id).optional(),
  query: texts.optional(),
  key: z.string().optional(),
  body: z.unknown().optional(),
  /** Replaces a body that could not be parsed. */
  unparsed: z.object({ bytes: z.int().min(0).max(MAX_BODY_BYTES), sha256: z.string() }).optional(),
  /** Set when the body was too large to be read. */
  tooLarge: z.literal(true).optional(),
  /** Set when the client disconnected while sending the body. */
  brokenOff: z.literal(true).optional(),
  /** Set when the recording ended before there was a response, which is then null. */
  inFlight: z.literal(true).optional(),
  response,
});

/** A transaction without the parts that cannot be replayed: its blockhash and its signatures. */
const transaction = z.object({
  /** base64 of the message, with the blockhash zeroed. */
  message: z.string(),
  signed: z.array(z.enum(['right', 'wrong', 'missing'])),
  /** The age of its blockhash in blocks; `nonce` for a current durable nonce; `old` for one that was expired or never valid. */
  blockhash: z.union([z.int().min(0), z.enum(['nonce', 'old'])], {
    error: 'must be the age in blocks, nonce or old',
  }),
  /** Its instructions as readable text. */
  does: z.array(z.string()).optional(),
});

const rpcLine = z.object({
  at: instantMs,
  kind: z.literal('rpc'),
  method: z.string(),
  who: z.string().optional(),
  /** Of sendTransaction and simulating calls, when it can be parsed. */
  transaction: transaction.optional(),
  /** Its signature, if it was sent; an alias once the recording has been read. */
  signature: z.string().optional(),
  /** The signature of an earlier transaction that this call sent again. */
  repeats: z.string().optional(),
  /** The options that accompany a transaction. */
  config: members.optional(),
  /** For all other calls. */
  params: z.unknown().optional(),
  /** `result` is omitted for calls that only read; null when a fault has lost the response. */
  response: z
    .union([
      z.strictObject({ result: z.unknown().optional() }),
      z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
    ])
    .nullable(),
});

const controlLine = z.object({
  at: instantMs,
  kind: z.literal('control'),
  command: z.enum(RECORDED_COMMANDS, {
    error: ({ input }) => `not a command of recordings: ${JSON.stringify(input)}`,
  }),
  id: id.optional(),
  query: texts.optional(),
  body: z.unknown().optional(),
  response,
});

/** A transaction sent by a program of the same process or by the facilitator, not through the RPC. */
const sendLine = z.object({
  at: instantMs,
  kind: z.literal('send'),
  who: z.string().optional(),
  transaction,
  /** Its signature; an alias once the recording has been read. */
  signature: z.string(),
  response: z.object({ result: z.unknown(), error: z.unknown() }),
});

/**
 * A clock change by a program of the same process, or by an advance whose client disconnected. With neither instant nor mode it replaces
 * a line that could not be written.
 */
const clockLine = z.object({
  at: instantMs,
  kind: z.literal('clock'),
  /** The instant it advanced to. */
  to: instantMs.optional(),
  mode: timeText.optional(),
  /** Why a line is missing. */
  missing: z.string().optional(),
});

/** The last line of a complete recording. */
const endLine = z.object({
  at: instantMs,
  kind: z.literal('end'),
  inputs: z.int().min(0),
  /** Why the recording ended by itself; absent when it was stopped. */
  reason: z.string().optional(),
});

const inputLine = z.discriminatedUnion('kind', [callLine, rpcLine, controlLine, sendLine, clockLine]);
export const recordingLine = z.discriminatedUnion('kind', [...inputLine.options, walletLine, endLine], {
  error: 'not a kind of line',
});

export type RecordingHeader = z.infer<typeof recordingHeader>;
export type RecordedTransaction = z.infer<typeof transaction>;
export type InputLine = z.infer<typeof inputLine>;
export type RecordingLine = z.infer<typeof recordingLine>;
export type LineOf<Kind extends RecordingLine['kind']> = Extract<RecordingLine, { kind: Kind }>;

export interface Recording {
  readonly path: string;
  readonly header: RecordingHeader;
  /** Lines with their numbers in the file; the header is line 1. */
  readonly lines: readonly { readonly number: number; readonly line: RecordingLine }[];
  /** Whether the end line is missing, as when the process was killed. */
  readonly isCut: boolean;
}
