import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { X402_INSTALL, X402_PACKAGES } from '../../../src/sdk/x402/facilitator/sdk.js';
import { facilitatorAt } from '../../../src/sdk/x402/index.js';
import { world } from '../../support/world.js';

it('facilitator without the SDK names the packages to install', async () => {
  const sim = await world();
  const response = await sim.fetch('http://sim.local/facilitator/supported');
  expect(response.status).toBe(503);
  const { code, error } = (await response.json()) as { code: string; error: string };
  expect(code).toBe('facilitator_not_installed');
  expect(error).toContain(X402_INSTALL);
  expect(X402_INSTALL).toMatch(/^npm install @x402\/core@[\d.]+ @x402\/svm@[\d.]+ @solana\/kit@[\d.]+$/);
});

it('paywall reports why its facilitator is unavailable', async () => {
  const sim = await world();
  const facilitator = facilitatorAt('http://sim.local/facilitator', sim.fetch);
  const verified = await facilitator.verify({ paymentPayload: {}, paymentRequirements: {} } as never);
  expect(verified).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining(X402_INSTALL) as string,
  });
});

it('X402_PACKAGES names the SDK versions under test', () => {
  const tested = JSON.parse(readFileSync('test/x402-clients/package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(tested.dependencies).toMatchObject(X402_PACKAGES);
});
