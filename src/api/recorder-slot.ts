import type { CommandRecorder } from './control/tape.js';
import type { CallRecorder } from './http/tape.js';
import type { RpcRecorder } from './rpc/tape.js';

/** Where a recorder is put in; `on` is null while nothing is recorded. */
export interface RecorderSlot {
  on: (CallRecorder & RpcRecorder & CommandRecorder) | null;
}
