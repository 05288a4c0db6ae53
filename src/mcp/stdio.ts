import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  isJSONRPCNotification,
  isJSONRPCRequest,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { EventFeed } from './event-feed.js';
import { subscribable } from './http.js';
import type { Connection, McpService } from './mcp-service.js';

/** The SDK's transport, which would close at the end of the input without a response to the requests in progress. */
class AnsweringTransport extends StdioServerTransport {
  /** The ids of the requests in progress. */
  readonly #unanswered: unknown[] = [];
  /** The ids of requests to the client. */
  readonly #asked = new Set<RequestId>();
  #isClosing = false;
  #finish = (): void => undefined;
  /** Resolves when the input has ended and all of its requests have their responses, or at `abandon`. */
  readonly finished = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  override async start(): Promise<void> {
    const { onmessage } = this;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    this.onmessage = (message) => {
      if (isJSONRPCRequest(message)) this.#unanswered.push(message.id);
      else if (!isJSONRPCNotification(message)) this.#asked.delete(message.id ?? '');
      else if (message.method === 'notifications/cancelled') this.#settle(message.params?.['requestId']);
      onmessage?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (isJSONRPCRequest(message)) this.#ask(message.id);
      // A subscription is acknowledged by a notification.
      else if (isJSONRPCNotification(message))
        this.#settle(message.params?._meta?.[SUBSCRIPTION_ID_META_KEY]);
      else this.#settle(message.id);
    }
  }

  /** Called by the SDK, at the end of the input too. */
  override async close(): Promise<void> {
    this.#isClosing = true;
    for (const id of this.#asked) this.#ask(id);
    this.#settle(undefined);
    await this.finished;
    await super.close();
  }

  /** Lets the connection close without the responses that are due. */
  abandon(): void {
    this.#finish();
  }

  #settle(id: unknown): void {
    const place = this.#unanswered.indexOf(id);
    if (place >= 0) this.#unanswered.splice(place, 1);
    if (this.#isClosing && this.#unanswered.length === 0) this.#finish();
  }

  /** Awaits the client's response to a request, or fails the request when the client can send none. */
  #ask(id: RequestId): void {
    this.#asked.add(id);
    const error = { code: -32_000, message: 'The input has ended.' };
    if (this.#isClosing) this.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}

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
  const transport = new AnsweringTransport(input, output);
  const abandon = () => transport.abandon();
  output.once('error', abandon).once('close', abandon);
  signal.addEventListener('abort', abandon, { once: true });
  if (signal.aborted) abandon();
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
  await transport.finished;
  for (const close of closing) close();
  feed.close();
  await handle.close();
}
