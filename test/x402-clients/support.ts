import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Command, startedCommand } from '../cli/process.js';
import { listening } from '../support/listening.js';

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
  return startedCommand([JSON.stringify(told)], {}, { program: path });
}

/** Starts a service in its own process for one test, and returns its URL. */
export async function service(name: string, told: object): Promise<string> {
  const command = program(name, told);
  return (JSON.parse(await command.printed('\n')) as { url: string }).url;
}

/** Runs a purchase in its own process. */
export async function payer(name: string, told: object): Promise<Purchase> {
  const command = program(name, told);
  const code = await command.ended();
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${command.stderr}`);
  return JSON.parse(command.stdout) as Purchase;
}

/** A proxy in front of a facilitator that drops the responses of `settle` after it has settled. Returns its URL. */
export async function lossyFacilitator(facilitator: string): Promise<{ url: string; settled: string[] }> {
  const settled: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '' } = request;
    const body = await text(request);
    const headers = { 'content-type': 'application/json' };
    const sent = method === 'GET' ? {} : { body, headers };
    const answer = await fetch(facilitator + url, { method, ...sent });
    const told = await answer.text();
    if (url === '/settle') {
      settled.push(told);
      request.socket.destroy();
    } else response.writeHead(answer.status, headers).end(told);
  };
  const server = createServer((request, response) => void pass(request, response));
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${await listening(server)}`, settled };
}
