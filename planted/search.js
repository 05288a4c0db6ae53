// A campaign until the first failure, with the library of a build: node search.js BUILD OPTIONS FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , built, options, folder] = process.argv;
const { campaign, scenarioOf, writeFailure } = await import(
  pathToFileURL(join(built, 'testing/fuzz-library.js')).href
);
const { runs, steps, found } = await campaign({
  ...JSON.parse(options),
  onFound: () => process.stderr.write('found a failure\n'),
});
const kept = [];
if (found !== null) {
  const texts = { json: writeFailure(found), yaml: await scenarioOf(found) };
  mkdirSync(folder, { recursive: true });
  for (const [suffix, text] of Object.entries(texts)) {
    if (text === null) continue;
    kept.push(join(folder, `${found.name}.${suffix}`));
    writeFileSync(kept.at(-1), text);
  }
}
process.stdout.write(JSON.stringify({ runs, steps, found, kept }));
