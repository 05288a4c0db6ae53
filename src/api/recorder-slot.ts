import type { CommandRecorder } from './control/command-recorder.js';
import type { CallRecorder } from './http/call-recorder.js';
import type { RpcRecorder } from './rpc/rpc-recorder.js';

/** The slot for a recorder; `on` is null while nothing is recorded. */
export interface RecorderSlot {
  on: (CallRecorder & RpcRecorder & CommandRecorder) | null;
}
