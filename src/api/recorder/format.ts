/** The format's name, which identifies a file. */
export const RECORDING_FORMAT = 'agent-bank-sim recording';
export const RECORDING_VERSION = 2;

/** The first line of a recording: the world at its start. */
export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  readonly software: Readonly<Record<string, string>>;
  readonly seed: string;
  readonly engine: 'bankrun' | 'litesvm';
  /** The time mode: `real`, `frozen`, or a factor such as `60x`. */
  readonly time: string;
  /** The world's start time, ISO 8601. */
  readonly startTime: string;
  /** All other options that define the world, as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly facts: {
    readonly treasury: string;
    readonly usdcMint: string;
    readonly network: string;
    readonly issuer: string;
  };
  /** The state file of the world when the recording started, in base64; null for a new world. */
  readonly state: string | null;
}

/** A wallet that calls or signs, introduced before the first line that mentions it. */
export interface WalletLine {
  readonly kind: 'wallet';
  readonly name: string;
  readonly address: string;
  /** The name of its key in the key ring of the seed; null for an external wallet, for which a substitute signs. */
  readonly key: string | null;
}

/** An HTTP response; amounts are numbers. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface CallLine {
  readonly at: number;
  readonly kind: 'call';
  readonly operation: string;
  readonly who?: string;
  /** `<token-n>`, `<token of NAME>`, or what was wrong with it: `wrong`, `malformed`, `expired`. Absent without a header. */
  readonly auth?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: unknown;
  /** A raw body: invalid JSON, or nested deeply. */
  readonly text?: string;
  /** Set when the body was too large to be read. */
  readonly tooLarge?: true;
  /** Set when the client broke off while sending the body. */
  readonly brokenOff?: true;
  /** `null` when a fault has lost it. */
  readonly answer: RecordedAnswer | null;
}

export type Signed = 'right' | 'wrong' | 'missing';

/** A transaction without what cannot be replayed: its blockhash and its signatures. */
export interface RecordedTransaction {
  /** base64 of the message, with the blockhash zeroed. */
  readonly message: string;
  readonly signed: readonly Signed[];
  /** The age of its blockhash in blocks; `nonce` for a current durable nonce; `old` for one that was expired or never valid. */
  readonly blockhash: number | 'nonce' | 'old';
  /** Descriptions of its instructions, for people. */
  readonly does: readonly string[];
}

/** The response to an RPC call; `result` is omitted for calls that only read. */
export type RpcAnswerLine =
  { readonly result?: unknown } | { readonly error: { readonly code: number; readonly message: string } };

export interface RpcLine {
  readonly at: number;
  readonly kind: 'rpc';
  readonly method: string;
  readonly who?: string;
  /** Of sendTransaction and simulating calls, when it can be parsed. */
  readonly transaction?: RecordedTransaction;
  /** Its signature, if it was sent; an alias once the recording has been read. */
  readonly signature?: string;
  /** The signature of an earlier transaction that was sent again. */
  readonly repeats?: string;
  /** The options that accompany a transaction. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** For all other calls. */
  readonly params?: unknown;
  /** `params` as JSON text, when nested deeply. */
  readonly text?: string;
  /** `null` when a fault has lost it. */
  readonly answer: RpcAnswerLine | null;
}

export interface ControlLine {
  readonly at: number;
  readonly kind: 'control';
  readonly command: string;
  readonly method: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `body` as JSON text, when nested deeply. */
  readonly text?: string;
  readonly answer: RecordedAnswer | null;
}

/** A transaction sent by a program of the same process or by the facilitator, not through the RPC. */
export interface SendLine {
  readonly at: number;
  readonly kind: 'send';
  readonly who?: string;
  readonly transaction: RecordedTransaction;
  /** Its signature; an alias once the recording has been read. */
  readonly signature: string;
  readonly answer: { readonly result: string; readonly error: unknown };
}

/**
 * A clock change by a program of the same process, or by an advance whose client disconnected. With neither
 * instant nor mode it replaces a line that could not be written.
 */
export interface ClockLine {
  readonly at: number;
  readonly kind: 'clock';
  /** The instant it advanced to, in milliseconds since 1970. */
  readonly to?: number;
  /** The new time mode. */
  readonly mode?: string;
  /** Why a line is missing here. */
  readonly missing?: string;
}

/** The last line of a complete recording. */
export interface EndLine {
  readonly at: number;
  readonly kind: 'end';
  readonly inputs: number;
  /** Why the recording ended by itself; absent when it was stopped. */
  readonly reason?: string;
}

export type InputLine = CallLine | RpcLine | ControlLine | SendLine | ClockLine;
export type RecordingLine = InputLine | WalletLine | EndLine;

/** A line with its number in the file; the header is line 1. */
export interface Numbered {
  readonly number: number;
  readonly line: RecordingLine;
}

/** A parsed recording. */
export interface Recording {
  readonly path: string;
  readonly header: RecordingHeader;
  readonly lines: readonly Numbered[];
  /** Whether the end line is missing, as when the process was killed. */
  readonly isCut: boolean;
}
