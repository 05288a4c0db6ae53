// Writes what the pages of reference take from tables of the code: npm run reference.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from '../test/support/markdown.js';
import { generatedPages, withGenerated } from './reference/page.js';

for (const page of generatedPages()) writeFileSync(join(ROOT, page), await withGenerated(textOf(page)));
