import { closeSync, writeSync } from 'node:fs';
import { packageVersion } from '../../core/package-root.js';
import type { Summary } from '../../testing/fuzz-library.js';
import { RUNS_WITH_LIMITS } from '../../testing/fuzz/campaign/campaign-value.js';
import { drawsLimits } from '../../testing/fuzz/campaign/properties.js';
import { limitsPage } from '../../testing/fuzz/report/page.js';
import { UsageError, openReport, writing } from '../usage.js';
import type { FuzzArguments } from './flags.js';

const DEFAULT_FILE = 'fuzz-report.html';

/** The options that determine the sequences of a campaign and their worlds, and the versions that played them. */
function originOf(
  { seed, path, engine, corpus, limit, variant }: FuzzArguments,
  { property }: Summary,
): string {
  const drawn = drawsLimits(property)
    ? [
        `--property other-limits draws ${limit.length === 0 ? '' : 'other '}limits for every ${RUNS_WITH_LIMITS} runs`,
      ]
    : [];
  const settings = [...limit, ...variant, ...drawn].join(', ') || 'the default limits and variants';
  const first = path === 0 ? '' : `, path ${path}`;
  const from = corpus === undefined ? '' : `, corpus ${corpus}`;
  return `Seed ${seed}${first}${from}, ${engine}, ${settings}; agent-bank-sim ${packageVersion()} on Node ${process.versions.node}.`;
}

/** Opens the report file before the campaign; null if none was requested. Throws UsageError. */
export function reportOf(args: FuzzArguments): { write(summary: Summary): void } | null {
  const wanted = args.report;
  if (wanted === undefined) return null;
  const [kind = '', ...rest] = wanted.split(':');
  if (kind !== 'html') throw new UsageError(`--report ${wanted}: expected html or html:FILE`);
  const file = rest.join(':') || DEFAULT_FILE;
  const handle = openReport('--report', file);
  return {
    write: (summary) => {
      writing(`--report: ${file}`, () => writeSync(handle, limitsPage(summary, originOf(args, summary))));
      closeSync(handle);
      process.stderr.write(`sim: wrote the report to ${file}\n`);
    },
  };
}
