// Writes the JSON Schema of scenario files: npm run schema.
import { mkdirSync, writeFileSync } from 'node:fs';
import { scenarioJsonSchema } from '../src/testing/scenario/file/json-schema.js';

mkdirSync('schema', { recursive: true });
writeFileSync('schema/scenario.schema.json', `${JSON.stringify(scenarioJsonSchema(), null, 1)}\n`);
