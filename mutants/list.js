// Prints every mutant of the files that are given, as one line of JSON; after `--into FOLDER` it also writes them there with all mutants
// built in, so that a run notes which of them it reaches. A program of its own, because its packages are this folder's.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { createInjector } from 'typed-inject';

const silent = new Proxy({}, { get: () => () => false });
const instrumenter = createInjector().provideValue('logger', silent).injectFunction(createInstrumenter);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' } } });
const { files, mutants } = await instrumenter.instrument(
  positionals.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true })),
  { ignorers: [], excludedMutations: [], plugins: null },
);
if (values.into !== undefined)
  for (const { name, content } of files) writeFileSync(join(values.into, name), content);
process.stdout.write(
  JSON.stringify(
    mutants.map(({ id, fileName, mutatorName, replacement, location }) => ({
      place: id,
      file: fileName,
      operator: mutatorName,
      replacement,
      location,
    })),
  ),
);
