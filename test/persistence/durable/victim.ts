/**
 * A service in a process of its own, which is there to be killed: the options of its simulator as JSON in the first argument; prints its
 * address when it is ready.
 */
import type { SimulatorOptions } from '../../../src/runtime/config.js';
import { createSimulator } from '../../../src/simulator/simulator.js';

const options = JSON.parse(process.argv[2] ?? '{}') as SimulatorOptions;
const sim = await createSimulator(options, {
  onTrouble: (message) => process.stderr.write(`TROUBLE ${message}\n`),
  onBug: (error, where) => process.stderr.write(`BUG ${where} ${String(error)}\n`),
});
const { origin } = await sim.listen();
process.stdout.write(`${origin}\n`);
