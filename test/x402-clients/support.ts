import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Command } from '../cli/process.js';

/** What a payer program prints. */
export interface Purchase {
  readonly status: number;
  readonly text: string;
  /** The header that it paid with. */
  readonly payment: Record<string, string> | null;
  /** The settlement result that the service returned. */
  readonly result: { readonly success: boolean; readonly transaction: string } | null;
}

function program(name: string, told: object): Command {
  const path = fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));
  return new Command([JSON.stringify(told)], {}, { program: path });
}

/** Starts a service in its own process for one test, and returns its URL. */
export async function service(name: string, told: object): Promise<string> {
  const command = program(name, told);
  onTestFinished(async () => {
    command.kill('SIGTERM');
    await command.ended();
  });
  return (JSON.parse(await command.printed('\n')) as { url: string }).url;
}

/** Runs a purchase in its own process. */
export async function payer(name: string, told: object): Promise<Purchase> {
  const command = program(name, told);
  const code = await command.ended();
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${command.stderr}`);
  return JSON.parse(command.stdout) as Purchase;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A proxy in front of a facilitator that drops the responses of `settle` after it has settled. Returns its URL. */
export async function lossyFacilitator(facilitator: string): Promise<{ url: string; settled: string[] }> {
  const settled: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '' } = request;
    const body = await bodyOf(request);
    const headers = { 'content-type': 'application/json' };
    const sent = method === 'GET' ? {} : { body, headers };
    const answer = await fetch(facilitator + url, { method, ...sent });
    const text = await answer.text();
    if (url === '/settle') {
      settled.push(text);
      request.socket.destroy();
    } else response.writeHead(answer.status, headers).end(text);
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, settled };
}

/** A wallet's balance of a mint in base units, according to a simulator's RPC. */
export async function held(rpcUrl: string, owner: string, mint: string): Promise<bigint> {
  const params = [owner, { mint }, { encoding: 'jsonParsed' }];
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountsByOwner', params }),
  });
  interface Told {
    result: {
      value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
    };
  }
  const { result } = (await response.json()) as Told;
  return result.value.reduce(
    (sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount),
    0n,
  );
}
