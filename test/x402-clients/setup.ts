import { fileURLToPath } from 'node:url';

// The project whose folder the x402 SDK is found from, as a user's would be.
process.chdir(fileURLToPath(new URL('.', import.meta.url)));
