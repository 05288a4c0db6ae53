/** Where the control interface of a world begins, after its mount. */
export const CONTROL_PATH = '/_sim/v1';
