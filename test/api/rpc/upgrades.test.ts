// @module-tag slow
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { servingSuite } from '../../cli/process.js';

const ATTEMPTS = 100;

/** Requests a WebSocket and, when rejected, sends one more byte and ends the connection. Resolves with the status line. */
function knock(port: number, path: string, headers: string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.on('end', () => socket.end('x'));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
    const lines = [
      `GET ${path} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

describe.skipIf(process.platform !== 'linux')('a rejected WebSocket upgrade', () => {
  const server = servingSuite('--engine', 'litesvm');

  it.each([
    ['from a foreign origin', '/', ['origin: https://evil.example'], 'HTTP/1.1 403 Forbidden'],
    ['for an unknown fork', '/w/fork-9', [], 'HTTP/1.1 404 Not Found'],
  ])(
    '%s leaves no file descriptor open although the client sends more',
    async (_name, path, headers, status) => {
      const { rpcUrl, pid } = server().ready;
      const port = Number(new URL(rpcUrl).port);
      const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;
      expect(await knock(port, path, headers)).toBe(status);
      const before = openFiles();
      const answers = await Promise.all(Array.from({ length: ATTEMPTS }, () => knock(port, path, headers)));
      expect(new Set(answers)).toEqual(new Set([status]));
      await expect.poll(openFiles).toBeLessThan(before + ATTEMPTS / 10);
    },
  );
});
