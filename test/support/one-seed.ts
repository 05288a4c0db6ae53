import fc from 'fast-check';

// Before each file of tests: properties draw from one seed, so that a test passes or fails each time, and from another by PROPERTY_SEED.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
