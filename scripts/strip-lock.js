// Takes download addresses out of package-lock.json: which registry was used is nobody's business, and integrity
// hashes stay. Run by `npm run lock` after dependencies changed.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const entry of Object.values(lock.packages)) {
  if (typeof entry.resolved === 'string' && entry.resolved.startsWith('http')) delete entry.resolved;
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
