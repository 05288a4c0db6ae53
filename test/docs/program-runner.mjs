// Runs one program after another in this process, so that the packages they import are loaded once. A program has ended, as in a process of
// its own, when nothing is left to do; an error ends this process. Programs come from the parent process.
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

let isImported = false;

async function runToEnd(file) {
  isImported = false;
  await import(pathToFileURL(file).href);
  isImported = true;
}

process.on('message', ({ file, env }) => {
  Object.assign(process.env, env);
  process.chdir(dirname(file));
  // Only the program itself may keep this process alive.
  process.channel.unref();
  void runToEnd(file);
});

process.on('beforeExit', (code) => {
  if (!isImported) throw new Error('a top-level await never settles');
  if (code !== 0) process.exit();
  process.channel.ref();
  // After all that the program has printed.
  process.stdout.write('\0');
});
