import type { ControlWorld } from '../api/control/world.js';
import type { AnsweredRequest, RequestRecord } from '../api/pipeline/pending-request.js';
import type { SignatureVerifier } from '../chain/signatures.js';

/** Hooks of the host process; not part of the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredRpcCall) => void;
  /** Called with exceptions and the request or RPC method that raised them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
  /**
   * Called when the data folder becomes unwritable or writable, when its file was truncated, and when others may know the world's secrets.
   */
  readonly onTrouble?: (message: string) => void;
  /**
   * Runs before and after each of the bank's transfers is submitted, so that tests can interleave other calls. During a transfer that fell
   * due, calls wait for it: the hook must not await one.
   */
  readonly aroundTransfer?: () => Promise<void> | void;
  /** Milliseconds of the clock that drives a running world; the machine's by default. */
  readonly wall?: () => number;
  /** Waits real milliseconds; a timer by default. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Converts a recording to a scenario. Throws RangeError for one that cannot be converted. */
  readonly toScenario?: ControlWorld['recording']['toScenario'];
  /** Verifies signatures when signers other than the keys themselves are accepted, as in replays. */
  readonly signatures?: SignatureVerifier;
}

/** The call of a request of the RPC. */
export function rpcCallOf({ path, status, answer, code, ...record }: RequestRecord) {
  const { requestId, faults, message, ms } = record;
  return {
    /** Shared by the calls of a batch. */
    requestId,
    method: path,
    faults,
    /** Whether a fault has lost its response. */
    isLost: status === null,
    /** The result, when it is a string such as a signature; null otherwise. */
    detail: answer?.startsWith('"') === true ? answer.slice(1, -1) : null,
    /** The code of the JSON-RPC error; null for a result. */
    code: code as number | null,
    message,
    ms,
  };
}

/**
 * A call of the RPC whose response was sent, or lost to a fault.
 * @interface
 */
export type AnsweredRpcCall = Readonly<ReturnType<typeof rpcCallOf>>;
