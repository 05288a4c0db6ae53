// Makes package-lock.json the same wherever it was written. Run by `npm run lock` after dependencies changed.
// - Download addresses are taken out: which registry was used is nobody's business, and integrity hashes stay.
// - Native packages of platforms that the registry did not offer are listed by version, as npm does for the others.
//   `npm ci` wants to see them; it fetches only those of its own platform.
import { readFileSync, writeFileSync } from 'node:fs';

const CPUS = ['arm64', 'x64', 'ia32', 'riscv64', 'ppc64', 's390x', 'loong64', 'wasm32', 'arm'];
const SYSTEMS = [
  'darwin',
  'linux',
  'win32',
  'android',
  'freebsd',
  'netbsd',
  'openbsd',
  'sunos',
  'aix',
  'openharmony',
];

/** The platform that a native package is for, by its name. */
function platformOf(name) {
  const cpu = CPUS.find((known) => name.includes(known));
  const os = SYSTEMS.find((known) => name.includes(known));
  const libc = name.includes('musl') ? 'musl' : name.includes('gnu') && os === 'linux' ? 'glibc' : undefined;
  return {
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(os === undefined ? {} : { os: [os] }),
    ...(libc === undefined ? {} : { libc: [libc] }),
  };
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { packages } = lock;
for (const entry of Object.values(packages)) {
  if (typeof entry.resolved === 'string' && entry.resolved.startsWith('http')) delete entry.resolved;
}
for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    const platform = platformOf(name);
    if (places.some((place) => place in packages) || platform.cpu === undefined) continue;
    packages[`node_modules/${name}`] = { version, ...platform, optional: true };
    console.log(`listed ${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
