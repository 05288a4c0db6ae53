import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PACKAGE_ROOT } from '../../package-root.js';
import { UsageError } from '../usage.js';

/** The files of the starter, in the package and where they go. */
const STARTER = {
  'first-steps.yaml': 'scenarios/first-steps.yaml',
  'agent.mjs': 'agent.mjs',
  'scenarios.yml': '.github/workflows/scenarios.yml',
} as const;

const FIXTURES = join(PACKAGE_ROOT, 'fixtures', 'starter');

/** Writes a starter into a folder: a scenario, an agent, a GitHub workflow. Overwrites nothing: throws UsageError instead. */
export function init(args: { readonly folder: string }): void {
  const files = Object.entries(STARTER).map(([from, to]) => ({
    from: join(FIXTURES, from),
    to: join(args.folder, to),
  }));
  const there = files.filter(({ to }) => existsSync(to)).map(({ to }) => to);
  if (there.length > 0)
    throw new UsageError(`${there.join(', ')}: there already; nothing was written. Move it away first.`);
  for (const { from, to } of files) {
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to);
    process.stdout.write(`${to}\n`);
  }
  process.stderr.write(
    'Next: npx sim run scenarios plays the scenario; npx sim start and node agent.mjs run the agent.\n',
  );
}
