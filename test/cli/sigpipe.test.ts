import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { interruptible } from '../../src/cli/interrupts.js';

const SIGPIPE = 13;

/** Whether this process ignores SIGPIPE, as Node does; else a write to a socket that its peer has closed ends it. */
function ignoresClosedSockets(): boolean {
  const [, ignored = ''] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${ignored}`) >> BigInt(SIGPIPE - 1)) & 1n) === 1n;
}

it.runIf(process.platform === 'linux')(
  'a closed socket does not end a process in which a command has ended',
  async () => {
    expect(ignoresClosedSockets()).toBe(true);
    await interruptible(async () => undefined);
    expect(ignoresClosedSockets()).toBe(true);
  },
);
