// Prints every mutant of the files that are given, as one line of JSON. A program of its own, because its packages are this folder's.
import { readFileSync } from 'node:fs';
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { createInjector } from 'typed-inject';

const silent = new Proxy({}, { get: () => () => false });
const instrumenter = createInjector().provideValue('logger', silent).injectFunction(createInstrumenter);
const files = process.argv
  .slice(2)
  .map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
const { mutants } = await instrumenter.instrument(files, {
  ignorers: [],
  excludedMutations: [],
  plugins: null,
});
process.stdout.write(
  JSON.stringify(
    mutants.map(({ fileName, mutatorName, replacement, location }) => ({
      file: fileName,
      operator: mutatorName,
      replacement,
      location,
    })),
  ),
);
