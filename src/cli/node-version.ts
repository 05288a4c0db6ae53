/** The oldest Node that this package runs on, as `engines` of its package.json says. */
export const OLDEST_NODE = '20.18';

/** Whether a version of Node, such as `18.20.4`, is older than that. */
export function isOldNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
