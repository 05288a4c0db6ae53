import type { ControlTape } from './control/tape.js';
import type { CallTape } from './http/tape.js';
import type { RpcTape } from './rpc/tape.js';

/** Where a recorder is put in; `on` is null while nothing is recorded. */
export interface TapeSlot {
  on: (CallTape & RpcTape & ControlTape) | null;
}
