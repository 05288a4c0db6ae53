// Writes a recording of the present format, which later versions must read: npx tsx scripts/write-recording-fixture.ts. Once a version.
import { join } from 'node:path';
import { createSimulator } from '../src/index.js';
import { RECORDING_VERSION } from '../src/recording/schema.js';
import { Session, busySession } from '../test/recording/session.js';

const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', seed: 'fixture' });
const path = join('fixtures', 'recordings', `version-${RECORDING_VERSION}.ndjson`);
await sim.recording.start({ path, isNew: true });
await busySession(await Session.of(sim));
await sim.close();
