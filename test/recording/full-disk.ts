import { setImmediate as turn } from 'node:timers/promises';
import { NdjsonFile } from '../../src/core/ndjson-file.js';

/** A process whose files may not grow beyond a limit: it writes lines until one is refused, and says how many there were and why. */
const sink = new NdjsonFile(process.argv[2] as string, 'w', 0o600);
let lines = 0;
try {
  for (; lines < 1_000; lines += 1) {
    sink.line('x'.repeat(1_023));
    if (lines % 16 === 15) sink.flush();
    await turn();
  }
} catch (error) {
  console.log(JSON.stringify({ lines, code: (error as NodeJS.ErrnoException).code }));
}
try {
  sink.close();
} catch (error) {
  console.log(JSON.stringify({ closing: (error as NodeJS.ErrnoException).code }));
}
