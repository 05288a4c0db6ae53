/** Says what these tests leave out. */
export default function setup(): void {
  process.stderr.write(
    'There are more tests: npm test, npm run test:slow, test:browser, test:queue and test:x402.\n',
  );
}
