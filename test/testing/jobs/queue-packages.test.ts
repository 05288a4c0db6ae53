import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { QUEUE_PACKAGES } from '../../../src/testing/jobs/queue/packages.js';

const ROOT = new URL('../../../', import.meta.url);

function manifest(path: string): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as Record<string, Record<string, unknown>>;
}

it('the packages of a queue are optional, and are tested in the versions that the docs name', () => {
  const { peerDependencies, peerDependenciesMeta } = manifest('package.json');
  expect(manifest('test/queue/package.json')['dependencies']).toEqual(QUEUE_PACKAGES);
  for (const [name, version] of Object.entries(QUEUE_PACKAGES)) {
    expect(peerDependencies?.[name]).toBe(`^${version}`);
    expect(peerDependenciesMeta?.[name]).toEqual({ optional: true });
    expect(readFileSync(new URL('docs/reference/scale.md', ROOT), 'utf8')).toContain(`${name}@${version}`);
  }
});
