/** The oldest supported Node, as in `engines` of package.json. */
export const OLDEST_NODE = '20.18';

/** Whether a Node version, such as `18.20.4`, is older than that. */
export function isOldNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
