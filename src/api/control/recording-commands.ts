import { z } from 'zod';
import { get, post } from './command.js';

export const RECORDINGS = {
  recording: get('/recording', {
    summary:
      'Show whether a recording is in progress, its file (null: in memory), its number of inputs, and why the previous recording stopped by itself (ended)',
    run: (world) => world.recording.state(),
  }),
  startRecording: post('/recording', {
    summary: 'Start recording in memory; the recording includes the current state of the world',
    isGated: true,
    body: z.strictObject({
      isNew: z
        .boolean()
        .optional()
        .describe('omit the state of the world, which must not have changed since its start'),
    }),
    run: async (world, { body: { isNew = false } }) => {
      await world.recording.start({ isNew });
      return world.recording.state();
    },
  }),
  stopRecording: post('/recording/stop', {
    summary: 'Stop recording and return its text, or null if it was written to a file',
    body: z.strictObject({}),
    run: async (world) => ({
      path: world.recording.state().path,
      recording: await world.recording.stop(),
    }),
  }),
  scenarioOfRecording: post('/recording/scenario', {
    summary: 'Convert a recording to a scenario; `leftOut` lists the lines without a step, and why',
    takes: 'bytes',
    isGated: true,
    query: z.strictObject({ name: z.string().min(1).max(200).optional().describe('name of the scenario') }),
    run: (world, { bytes, query: { name = 'Recorded' } }) =>
      world.recording.toScenario(Buffer.from(bytes).toString('utf8'), name),
  }),
};
