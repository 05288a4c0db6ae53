import type { CommandRecorder } from './control/recorder-port.js';
import type { CallRecorder } from './http/recorder-port.js';
import type { RpcRecorder } from './rpc/recorder-port.js';

/** The slot for a recorder; `on` is null while nothing is recorded. */
export interface RecorderSlot {
  on: (CallRecorder & RpcRecorder & CommandRecorder) | null;
}
