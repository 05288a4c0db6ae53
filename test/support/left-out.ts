/** Says what these tests leave out. */
export default function setup(): void {
  process.stderr.write('Left out: npm run test:queue, which needs redis-server, and npm run test:x402.\n');
}
