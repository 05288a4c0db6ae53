import { fileURLToPath } from 'node:url';

// The project folder from which the x402 SDK is resolved, as in a user's project.
process.chdir(fileURLToPath(new URL('.', import.meta.url)));
