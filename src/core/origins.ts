/** Where `sim start` listens by default. */
export const DEFAULT_ORIGIN = 'http://127.0.0.1:4020';

/** The origin of worlds in this process. */
export const IN_PROCESS_ORIGIN = 'http://sim.local';
