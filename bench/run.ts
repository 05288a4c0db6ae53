import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durable } from './durable.js';
import { eventLog } from './event-log.js';
import { forks } from './forks.js';
import { inspector } from './inspector.js';
import { journalSize } from './journal-size.js';
import { loansDue } from './loans-due.js';
import { memory } from './memory.js';
import { mcp } from './mcp.js';
import { offChain } from './off-chain.js';
import { overviewHttp } from './overview-http.js';
import { recording } from './recording.js';
import type { Benchmark } from './report.js';
import { rpc } from './rpc.js';
import { fuzz } from './fuzz.js';
import { scenarios } from './scenarios.js';
import { snapshots } from './snapshots.js';
import { start } from './start.js';
import { state } from './state.js';
import { study } from './study.js';
import { tenYears } from './ten-years.js';
import { transfers } from './transfers.js';
import { x402 } from './x402.js';

/** All benchmarks, in the order of the report. */
export const BENCHMARKS: readonly Benchmark[] = [
  start,
  transfers,
  overviewHttp,
  rpc,
  offChain,
  journalSize,
  memory,
  tenYears,
  snapshots,
  forks,
  state,
  durable,
  eventLog,
  recording,
  loansDue,
  x402,
  mcp,
  inspector,
  scenarios,
  fuzz,
  study,
];

/** Runs one benchmark in this process and sends its rows to the parent. */
async function run(benchmark: Benchmark): Promise<void> {
  // bankrun leaves temporary folders behind, in this process and its children: all go into one that is removed.
  const folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // As in the simulator: bankrun would log every transaction, which only slows its own rate.
  process.env['RUST_LOG'] ??= 'off';
  const rows = await benchmark.run();
  process.send?.(rows, () => process.exit());
}

const chosen = BENCHMARKS.find(({ name }) => process.send !== undefined && name === process.argv[2]);
if (chosen !== undefined) await run(chosen);
