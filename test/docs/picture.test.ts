import { expect, it } from 'vitest';
import { terminalSvg } from '../../scripts/terminal-svg.js';
import { here } from '../cli/here.js';
import { readFileSync } from 'node:fs';
import { textOf } from '../support/markdown.js';

it('README picture shows the output of sim demo', async () => {
  const { stdout } = await here('demo', '--engine', 'litesvm');
  expect(textOf('docs/demo.svg'), 'npm run picture writes it').toBe(terminalSvg('sim demo', stdout));
});

it('README recording is an animated picture that loads fast', () => {
  const bytes = readFileSync('docs/inspector.png');
  expect(textOf('README.md')).toContain('](docs/inspector.png)');
  expect(bytes.length).toBeLessThan(1_500_000);
  // The chunk that makes a PNG an animation, with the number of its frames.
  const at = bytes.indexOf('acTL', 0, 'latin1');
  expect(bytes.readUInt32BE(at + 4)).toBeGreaterThanOrEqual(10);
  expect(bytes.toString('latin1').split('fcTL')).toHaveLength(bytes.readUInt32BE(at + 4) + 1);
});
