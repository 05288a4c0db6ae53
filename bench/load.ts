import { once } from 'node:events';
import { Agent, type IncomingMessage, get } from 'node:http';
import { type Socket, connect } from 'node:net';

/** Requests to make: consecutive on each of several connections, for a given time. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly authorization?: string;
  /** JSON to POST instead of a GET: each connection takes the next one, starting over at the end unless `once` is set. */
  readonly bodies?: readonly string[];
  /** Ends when every body has been sent, regardless of `ms`. */
  readonly once?: boolean;
  readonly connections: number;
  readonly ms: number;
  /** Node's own client is slower than the servers, so it makes them look more alike than they are. */
  readonly client: 'sockets' | 'node:http';
}

/** The length of the complete response at the start of `bytes`; null when its head is incomplete. */
function answerLength(bytes: Buffer): number | null {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const text = bytes.toString('latin1', 0, head);
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`not an answer: ${text}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error('the answer has no length');
  return head + 4 + Number(length);
}

/** Sends consecutive requests until there are no more; returns the number of responses. */
function askAll(socket: Socket, next: () => string | null): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === null || received.length < length) return;
      received = received.subarray(length);
      answers += 1;
      send();
    });
    const send = () => {
      const request = next();
      if (request === null) resolve(answers);
      else socket.write(request);
    };
    send();
  });
}

/** Makes the requests on plain sockets, at almost no cost; returns the number of responses. */
async function bySockets(
  { port, path, authorization, connections, bodies, once: isOnce }: Load,
  deadlineMs: number,
): Promise<number> {
  const head = `${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  const secret = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  const requests = bodies?.map(
    (body) =>
      `POST ${head}${secret}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ) ?? [`GET ${head}${secret}\r\n`];
  let sent = 0;
  const next = (): string | null => {
    if (isOnce === true ? sent >= requests.length : performance.now() >= deadlineMs) return null;
    sent += 1;
    return requests[(sent - 1) % requests.length] ?? null;
  };
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const counts = await Promise.all(sockets.map((socket) => askAll(socket, next)));
  for (const socket of sockets) socket.destroy();
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Makes the requests with Node's client; returns the number of responses. */
async function byNodeHttp(
  { port, path, authorization, connections }: Load,
  deadlineMs: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { host: '127.0.0.1', port, path, agent, headers: { authorization: authorization ?? '' } };
  let answers = 0;
  const ask = async () => {
    while (performance.now() < deadlineMs) {
      const [response] = (await once(get(options), 'response')) as [IncomingMessage];
      if (response.statusCode !== 200) throw new Error(`not an answer: ${response.statusCode}`);
      await once(response.resume(), 'end');
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  agent.destroy();
  return answers;
}

/** Requests answered per second. */
async function run(load: Load): Promise<number> {
  const from = performance.now();
  const ask = load.client === 'sockets' ? bySockets : byNodeHttp;
  const answers = await ask(load, from + load.ms);
  return (answers / (performance.now() - from)) * 1_000;
}

process.on('message', (load: Load) => {
  run(load).then(
    (rate) => process.send?.(rate),
    (error: unknown) => {
      throw error;
    },
  );
});
