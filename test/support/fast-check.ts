// What tests import as `fast-check` (vitest.config.ts): draws from one seed, so that a test passes or fails each time, and from another by PROPERTY_SEED.
import fc from '../../node_modules/fast-check/lib/fast-check.js';

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

export default fc;
export * from '../../node_modules/fast-check/lib/fast-check.js';
