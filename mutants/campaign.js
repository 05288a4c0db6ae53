// Plays a campaign with the build of a folder until it finds a failure, or has used so many seconds of the processor: unlike the time of a
// clock, they do not depend on what else the machine does. Prints the result as a line of JSON, with the places that it has reached when
// all mutants are built in; exit code 1 for a failure.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, seconds, transport, engine, seed] = process.argv.slice(2);
const { campaign } = await import(pathToFileURL(join(folder, 'dist/testing/fuzz-library.js')).href);

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function end(failure, progress) {
  const { mutantCoverage } = globalThis.__stryker__ ?? {};
  const reached = mutantCoverage && { reached: Object.keys(mutantCoverage.static) };
  const result = { seconds: cpuSeconds(), text: failure?.text ?? '', ...progress, ...reached };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(failure === null ? 0 : 1);
}

/** Every switch of the service in another position than its default. */
const VARIANTS = [
  {
    overview: 'A',
    score: '300-850',
    purposes: 'six',
    duration: 'required',
    historyTypes: 'no-credit',
    withdrawals: 'queued',
    dailyWindow: 'rolling-24h',
    paymentRequests: 'repeatedly',
    review: 'auto',
    network: 'devnet',
  },
  { overview: 'B', purposes: 'four', withdrawals: 'queued', review: 'delay:1h' },
];

/** The parts of a campaign, and which share of it has been played when each ends. */
const PARTS = [
  { until: 0.3 },
  { until: 0.4, property: 'chain' },
  { until: 0.5, variants: VARIANTS[0], weights: { kill: 1 } },
  { until: 0.6, variesLimits: true },
  { until: 0.68, property: 'races' },
  { until: 0.76, property: 'credit', variesLimits: true },
  { until: 0.84, variants: VARIANTS[1] },
  { until: 0.92, property: 'signatures', transport: 'http' },
  { until: 1, engine: 'bankrun' },
];

let played = { runs: 0, steps: 0 };
for (const { until, ...part } of PARTS) {
  let progress = played;
  await campaign({
    runs: Infinity,
    seed: Number(seed),
    transport,
    engine,
    ...part,
    onFound: (failure) => end(failure, progress),
    onProgress: ({ runs, steps }) => {
      progress = { runs: played.runs + runs, steps: played.steps + steps };
      return cpuSeconds() < Number(seconds) * until;
    },
  });
  played = progress;
}
end(null, played);
