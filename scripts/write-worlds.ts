// Writes the worlds that users start from: npm run worlds.
import { mkdirSync, writeFileSync } from 'node:fs';
import { WORLDS, madeWorld } from './worlds/worlds.js';

mkdirSync('fixtures/worlds', { recursive: true });
for (const name of Object.keys(WORLDS)) {
  const state = await madeWorld(name);
  writeFileSync(`fixtures/worlds/${name}.sim`, state);
  process.stdout.write(`${name}: ${state.length} bytes\n`);
}
