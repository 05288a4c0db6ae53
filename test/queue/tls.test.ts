import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startedCommand } from '../cli/process.js';
import { listening } from '../support/listening.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { RedisServer, freePort } from './redis-server.js';
import { ownQueue } from './support.js';

/** A CA of a test's own, and a certificate for this machine. */
function certificates(): { ca: string; cert: string; key: string } {
  const at = temporaryFolder();
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: at, stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const key = (name: string) => [...curve, '-nodes', '-keyout', name];
  writeFileSync(join(at, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  openssl('req', '-x509', ...key('ca.key'), '-out', 'ca.crt', '-days', '2', '-subj', '/CN=a CA of their own');
  openssl('req', ...key('key'), '-out', 'request', '-subj', '/CN=localhost');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'request', ...signed, '-out', 'crt');
  return { ca: join(at, 'ca.crt'), cert: join(at, 'crt'), key: join(at, 'key') };
}

/** Expects a command on a queue to end with 1 and one line. */
async function fails(url: string, line: RegExp, env: Record<string, string> = {}): Promise<void> {
  const command = startedCommand(['campaign', 'list', '--queue', url], env);
  expect(await command.ended()).toBe(1);
  expect(command.stderr).toMatch(line);
  expect(command.stderr.trimEnd().split('\n')).toHaveLength(1);
}

async function playsOverTls(): Promise<void> {
  const { ca, cert, key } = certificates();
  const port = await freePort();
  const tls = ['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key];
  const clients = ['--tls-ca-cert-file', ca, '--tls-auth-clients', 'no', '--requirepass', 'secret'];
  const server = await RedisServer.start(...tls, ...clients);
  onTestFinished(() => server.stop());
  const known = { NODE_EXTRA_CA_CERTS: ca };
  const queue = ownQueue(`rediss://:secret@localhost:${port}`, known);
  expect((await queue.worker()).stderr).toContain(`sim: working for rediss://localhost:${port}`);
  const fuzz = queue.started(['fuzz', '--runs', '20', '--out', join(temporaryFolder(), 'failures')]);
  expect(await fuzz.ended(), fuzz.stderr).toBe(0);
  expect(fuzz.stdout).toMatch(/^Every rule held in 20 runs/);
  await fails(
    `rediss://:secret@localhost:${port}`,
    /self-signed certificate.*; NODE_EXTRA_CA_CERTS=FILE names a CA/,
  );
  await fails(`rediss://:wrong@localhost:${port}`, /WRONGPASS/, known);
  await fails(`redis://:secret@localhost:${port}`, /cannot be used: /);
  const other = await listening(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  await fails(`redis://127.0.0.1:${other}`, /cannot be used: /);
}

it('a queue over TLS plays a campaign when the CA is named; without it, or without a Redis, a command ends with one line', async () => {
  const silent = await listening(createServer(() => undefined));
  const unanswered = fails(`redis://127.0.0.1:${silent}`, /the server did not respond within 15 s/);
  await Promise.all([unanswered, playsOverTls()]);
});
