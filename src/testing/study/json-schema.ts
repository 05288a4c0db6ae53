import { jsonOf } from '../scenario/file/json-schema.js';
import { studySchema } from './schema.js';

/** The JSON Schema (draft 7) of studies, for editors. It lacks checks made in code, such as that a persona exists. */
export function studyJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A study of agent-bank-sim',
    ...jsonOf(studySchema),
  };
}
