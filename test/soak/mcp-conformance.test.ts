import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { world } from '../support/world.js';

// Fetched by npx, so that the package does not depend on them. The suite needs Node 22.
const SUITE = ['--yes', '--package=@modelcontextprotocol/conformance@0.1.16', '--package=node@22'];

/**
 * Scenarios that this server does not pass. Most call tools, prompts and resources of the protocol's own example server by their names; what
 * they check is done here by the same SDK.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'logging-set-level': 'there is no logging: what happens stands in the event log',
  'completion-complete': 'no argument has values to complete',
  'resources-subscribe': 'subscribes to a resource of the example server',
  'resources-unsubscribe': 'subscribes to a resource of the example server',
  'json-schema-2020-12': 'looks at a tool of the example server',
  ...Object.fromEntries(
    (
      'simple-text image audio embedded-resource mixed-content with-logging error ' +
      'with-progress sampling elicitation'
    )
      .split(' ')
      .map((name) => [`tools-call-${name}`, 'calls a tool of the example server']),
  ),
  'elicitation-sep1034-defaults': 'calls a tool of the example server',
  'elicitation-sep1330-enums': 'calls a tool of the example server',
  'resources-read-text': 'reads a resource of the example server',
  'resources-read-binary': 'reads a resource of the example server',
  'resources-templates-read': 'reads a resource of the example server',
  'prompts-get-simple': 'gets a prompt of the example server',
  'prompts-get-with-args': 'gets a prompt of the example server',
  'prompts-get-embedded-resource': 'gets a prompt of the example server',
  'prompts-get-with-image': 'gets a prompt of the example server',
};

/** The names of the scenarios that passed and failed, from the summary that the suite prints. */
function outcomes(url: string): Promise<{ passed: string[]; failed: string[] }> {
  return new Promise((resolve, reject) => {
    const args = [...SUITE, '--call', `conformance server --suite all --url '${url}'`];
    execFile('npx', args, { maxBuffer: 64 * 1_024 * 1_024 }, (_error, stdout, stderr) => {
      const named = (mark: string) =>
        [...stdout.matchAll(new RegExp(`^${mark} ([\\w-]+): `, 'gm'))].map(([, name = '']) => name);
      if (!stdout.includes('=== SUMMARY ===')) reject(new Error(stdout + stderr));
      else resolve({ passed: named('✓'), failed: named('✗') });
    });
  });
}

it('passes the conformance suite of the protocol for servers, with named exceptions', async () => {
  const sim = await world();
  const { origin } = await sim.listen();
  const { passed, failed } = await outcomes(`${origin}/mcp?world=true`);
  expect(failed.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  expect(passed).toEqual(
    expect.arrayContaining([
      'server-initialize',
      'ping',
      'tools-list',
      'resources-list',
      'prompts-list',
      'server-sse-multiple-streams',
      'dns-rebinding-protection',
    ]),
  );
});
