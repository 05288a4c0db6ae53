/** The format's name, by which a file is known. */
export const RECORDING_FORMAT = 'agent-bank-sim recording';
/** The version that is written; older ones are read too. In version 1, ids and signatures have names already. */
export const RECORDING_VERSION = 2;

/** The first line of a recording: the world that it began in. */
export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  readonly software: Readonly<Record<string, string>>;
  readonly seed: string;
  readonly engine: 'bankrun' | 'litesvm';
  /** How time moved: `real`, `frozen`, or a factor such as `60x`. */
  readonly time: string;
  /** When the world began, ISO 8601. */
  readonly startTime: string;
  /** All other options of a simulator that is to be the same world, as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly facts: {
    readonly treasury: string;
    readonly usdcMint: string;
    readonly network: string;
    readonly issuer: string;
  };
  /** The world when the recording began, as base64 of a state's file; null when nothing had happened yet. */
  readonly state: string | null;
  /** Where inputs come from that are not the simulator's own, such as a HAR file. */
  readonly source?: { readonly kind: 'har'; readonly baseUrl: string };
}

/** Somebody who calls or signs, named before the first line that names them. */
export interface WalletLine {
  readonly kind: 'wallet';
  readonly name: string;
  readonly address: string;
  /** The name of its key in the key ring of the seed; null for a wallet from outside, for which a stand-in signs. */
  readonly key: string | null;
}

/** An answer of HTTP; amounts are numbers. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What may be done to make a world what a session needs that was not recorded here; it is not judged. */
interface Prepared {
  readonly setup?: true;
}

/** A call of the API. */
export interface CallLine extends Prepared {
  readonly at: number;
  readonly kind: 'call';
  readonly operation: string;
  readonly who?: string;
  /** `<token-n>`, `<token of NAME>`, or what was wrong with it: `wrong`, `malformed`, `expired`. Nothing for no header. */
  readonly auth?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: unknown;
  /** A body as it was sent: no JSON, or nested deeply. */
  readonly text?: string;
  /** Set for a body that was too large to be read. */
  readonly tooLarge?: true;
  /** Set for a body whose sender broke off. */
  readonly brokenOff?: true;
  /** Null when a fault has lost it. */
  readonly answer: RecordedAnswer | null;
}

/** How each signer of a transaction has signed it. */
export type Signed = 'right' | 'wrong' | 'missing';

/** A transaction without what cannot be replayed: its blockhash and its signatures. */
export interface RecordedTransaction {
  /** base64 of the message, with zeros for the blockhash. */
  readonly message: string;
  readonly signed: readonly Signed[];
  /** How many slots old its blockhash was, or `old` for one that was not good any more or never. */
  readonly blockhash: number | 'old';
  /** What it does, for people. */
  readonly does: readonly string[];
}

/** What came of a call of the RPC; `result` is left out of calls that only read. */
export type RpcAnswerLine =
  { readonly result?: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** A call of the RPC. */
export interface RpcLine extends Prepared {
  readonly at: number;
  readonly kind: 'rpc';
  readonly method: string;
  readonly who?: string;
  /** Of sendTransaction, and of calls that try one, unless it cannot be read. */
  readonly transaction?: RecordedTransaction;
  /** Its signature, if it was sent; a name of it once it was read. */
  readonly signature?: string;
  /** The signature of a transaction that was sent before. */
  readonly repeats?: string;
  /** The options beside a transaction. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Of all other calls. */
  readonly params?: unknown;
  /** The same as JSON, when it is nested deeply. */
  readonly text?: string;
  /** Null when a fault has lost it. */
  readonly answer: RpcAnswerLine | null;
}

/** A command of the control interface. */
export interface ControlLine extends Prepared {
  readonly at: number;
  readonly kind: 'control';
  readonly command: string;
  readonly method: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The same as JSON, when it is nested deeply. */
  readonly text?: string;
  readonly answer: RecordedAnswer | null;
}

/** A transaction that a program of the same process, or the facilitator, has sent past the RPC. */
export interface SendLine extends Prepared {
  readonly at: number;
  readonly kind: 'send';
  readonly who?: string;
  readonly transaction: RecordedTransaction;
  /** Its signature; a name of it once it was read. */
  readonly signature: string;
  readonly answer: { readonly result: string; readonly error: unknown };
}

/**
 * A program of the same process has moved time, or a jump whose caller left. With neither instant nor mode it stands for a line that
 * could not be written.
 */
export interface ClockLine extends Prepared {
  readonly at: number;
  readonly kind: 'clock';
  /** Milliseconds since 1970 that it jumped to. */
  readonly to?: number;
  /** How time moves from here on. */
  readonly mode?: string;
  /** Why there is no line of what came here. */
  readonly missing?: string;
}

/** The last line of a recording that was ended. */
export interface EndLine {
  readonly at: number;
  readonly kind: 'end';
  readonly inputs: number;
  /** Why nothing more was recorded, when it was not told to stop. */
  readonly reason?: string;
}

export type InputLine = CallLine | RpcLine | ControlLine | SendLine | ClockLine;
export type RecordingLine = InputLine | WalletLine | EndLine;

/** A line with its number in the file, the header being line 1. */
export interface Numbered {
  readonly number: number;
  readonly line: RecordingLine;
}

/** A recording as it was read. */
export interface Recording {
  /** The file that it was read from, for messages. */
  readonly path: string;
  readonly header: RecordingHeader;
  readonly lines: readonly Numbered[];
  /** Whether its end is missing: the process was killed, say. */
  readonly isCut: boolean;
}
