/** Says what these tests leave out. */
export default function setup(): void {
  process.stderr.write('Others: npm test, npm run test:slow, test:browser, test:queue, test:x402.\n');
}
