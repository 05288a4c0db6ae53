import type { CommandRecorder } from './control/command-recorder.js';
import type { CallRecorder } from './http/call-recorder.js';
import type { RpcRecorder } from './rpc/rpc-recorder.js';

/** Where a recorder is put in; `on` is null while nothing is recorded. */
export interface RecorderSlot {
  on: (CallRecorder & RpcRecorder & CommandRecorder) | null;
}
