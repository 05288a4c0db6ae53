/** The path of a world's control interface, after its mount. */
export const CONTROL_PATH = '/_sim/v1';
