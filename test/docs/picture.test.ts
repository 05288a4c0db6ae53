import { expect, it } from 'vitest';
import { terminalSvg } from '../../scripts/terminal-svg.js';
import { here } from '../cli/here.js';
import { textOf } from '../support/markdown.js';

it('README picture shows the output of sim demo', async () => {
  const { stdout } = await here('demo', '--engine', 'litesvm');
  expect(textOf('docs/demo.svg'), 'npm run picture writes it').toBe(terminalSvg('sim demo', stdout));
});
