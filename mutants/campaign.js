// Plays a campaign with the build of a folder until it finds a failure, or has used so many seconds of the processor: unlike the time of a
// clock, they do not depend on what else the machine does. Prints the result as a line of JSON; exit code 1 for a failure.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, seconds, transport, seed] = process.argv.slice(2);
const { campaign } = await import(pathToFileURL(join(folder, 'dist/testing/fuzz-library.js')).href);

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function end(failure, progress) {
  process.stdout.write(
    `${JSON.stringify({ seconds: cpuSeconds(), text: failure?.text ?? '', ...progress })}\n`,
  );
  process.exit(failure === null ? 0 : 1);
}

let progress = {};
await campaign({
  runs: Infinity,
  seed: Number(seed),
  transport,
  onFound: (failure) => end(failure, progress),
  onProgress: ({ runs, steps }) => {
    progress = { runs, steps };
    return cpuSeconds() < Number(seconds);
  },
});
end(null, progress);
