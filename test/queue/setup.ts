import { fileURLToPath } from 'node:url';

// The project folder from which bullmq and ioredis are resolved, as in a user's project.
process.chdir(fileURLToPath(new URL('.', import.meta.url)));
