/**
 * A service in a process of its own, which is there to be killed: the options of its simulator as JSON in the first argument; prints its
 * address when it is ready. It loads what is built, in a third of the time that compiling the sources takes.
 */
import { createSimulator } from '../../../dist/index.js';

const sim = await createSimulator(JSON.parse(process.argv[2] ?? '{}'), {
  onTrouble: (message) => process.stderr.write(`TROUBLE ${message}\n`),
  onBug: (error, where) => process.stderr.write(`BUG ${where} ${String(error)}\n`),
});
const { origin } = await sim.listen();
process.stdout.write(`${origin}\n`);
