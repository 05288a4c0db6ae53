import { CALLS } from './calls.js';
import type { Command } from './command.js';
import { KILL, RELOAD, REVERT, SNAPSHOT } from './snapshots.js';
import { TWIN } from './twins.js';
import { OVERLAP } from './overlap.js';
import { DESK, FAUCET, LINK, PAY_LOAN, POLICY, SET_BALANCE, ORACLE, SET_APY, SET_PRICE } from './operator.js';
import { REPLAY } from './replays.js';
import { ALLOW, SEND } from './sends.js';
import { SIGN_IN, VERIFY } from './sign-in.js';
import { ADVANCE, DRAIN } from './surroundings.js';

/** All actions of agents, operators, clock and chain on a service. */
export const COMMANDS: readonly Command[] = [
  ...CALLS,
  SIGN_IN,
  VERIFY,
  SEND,
  ALLOW,
  ADVANCE,
  SET_PRICE,
  SET_APY,
  ORACLE,
  DESK,
  POLICY,
  LINK,
  SET_BALANCE,
  FAUCET,
  PAY_LOAN,
  DRAIN,
  OVERLAP,
  REPLAY,
  SNAPSHOT,
  REVERT,
  RELOAD,
  KILL,
  TWIN,
];
