import { execFileSync } from 'node:child_process';

/** Builds the commands once before the tests, since many start them as processes. */
export default function setup(): void {
  execFileSync(process.execPath, ['scripts/build.js', '--no-types'], { stdio: 'inherit' });
}
