// Writes the JSON Schemas of scenario files and of studies: npm run schema.
import { mkdirSync, writeFileSync } from 'node:fs';
import { scenarioJsonSchema } from '../src/testing/scenario/file/json-schema.js';
import { studyJsonSchema } from '../src/testing/study/json-schema.js';

mkdirSync('schema', { recursive: true });
writeFileSync('schema/scenario.schema.json', `${JSON.stringify(scenarioJsonSchema(), null, 1)}\n`);
writeFileSync('schema/study.schema.json', `${JSON.stringify(studyJsonSchema(), null, 1)}\n`);
