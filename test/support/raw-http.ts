import { connect } from 'node:net';

/** A response as received. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The head of a request with these headers alone. */
export function headOf(request: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${request} HTTP/1.1`, ...lines].join('\r\n');
}

/** Sends the head of a request and a body verbatim, valid or not, and reads the response until the server closes the connection. */
export function rawRequest(port: number, head: string, sent = ''): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [top = '', ...rest] = text.split('\r\n\r\n');
      const [first = '', ...lines] = top.split('\r\n');
      const headers = lines.map((line): [string, string] => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      });
      const status = Number(first.split(' ')[1]);
      resolve({ status, headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') });
    });
    socket.write(`${head}\r\nconnection: close\r\n\r\n${sent}`);
  });
}
