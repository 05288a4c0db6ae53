// Writes the picture of the README from what `sim demo` prints: npm run picture, after a build.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { terminalSvg } from './terminal-svg.js';

const output = execFileSync(process.execPath, ['dist/cli/main.js', 'demo', '--engine', 'litesvm'], {
  encoding: 'utf8',
});
writeFileSync('docs/demo.svg', terminalSvg('sim demo', output));
