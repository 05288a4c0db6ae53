import { z } from 'zod';
import { command } from './command.js';

/** Records requests and responses for replay. */
export const RECORDINGS = {
  recording: command({
    method: 'GET',
    path: '/recording',
    summary:
      'Whether a recording is under way, into which file (null: into memory), how many inputs it has, and why the last one has ended if it did so by itself (ended)',
    run: (world) => world.recording.state(),
  }),
  startRecording: command({
    method: 'POST',
    path: '/recording',
    summary: 'Record from here on, in memory; what the world is now comes along as a state',
    isGated: true,
    body: z.strictObject({}),
    run: async (world) => {
      await world.recording.start();
      return world.recording.state();
    },
  }),
  stopRecording: command({
    method: 'POST',
    path: '/recording/stop',
    summary: 'End the recording; its text is the answer, unless it went into a file (null)',
    body: z.strictObject({}),
    run: async (world) => ({
      path: world.recording.state().path,
      recording: await world.recording.stop(),
    }),
  }),
};
