import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { EventFeed } from './event-feed.js';
import { subscribable } from './http.js';
import type { Connection, McpService } from './mcp-service.js';

/** Serves one client over a pair of streams, until its input ends or `signal` is aborted. */
export async function serveOverStdio(
  service: McpService,
  connection: Connection,
  {
    input,
    output,
    signal,
  }: { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const feed = new EventFeed(service.backend);
  const transport = new StdioServerTransport(input, output);
  const ended = new Promise<void>((resolve) => {
    input
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    output.once('error', () => resolve()).once('close', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const closing: (() => void)[] = [];
  const handle = serveStdio(
    ({ era }) => {
      const { server, notify, close } = subscribable(service, feed, connection);
      closing.push(close);
      if (era === 'modern')
        // This version subscribes at the transport, which does not tell: all changes are offered, and passed on to those who listen.
        closing.push(feed.listen((event) => service.changedBy(connection, event), notify));
      return server;
    },
    { transport },
  );
  await ended;
  for (const close of closing) close();
  feed.close();
  await handle.close();
}
