import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../src/contract/endpoints.js';
import { httpServer } from '../../src/testing/drivers/http-server.js';
import { resolveConfig } from '../../src/runtime/config.js';
import { findFiles } from '../../src/testing/scenario/file/find.js';
import { loadFile } from '../../src/testing/scenario/file/load.js';
import { playScenario } from '../../src/testing/scenario/play/play.js';
import type { Target } from '../../src/testing/scenario/target.js';
import { documentFor } from '../support/contract-check.js';
import { suiteFolder } from '../support/temporary-folder.js';

// Fetched by npx, so that the package does not depend on it.
const PRISM = '@stoplight/prism-cli@5.16.0';

/** What the proxy finds in a request or a response. */
interface Deviation {
  readonly location: readonly string[];
  readonly message: string;
}

const folder = suiteFolder();
const processes: ChildProcess[] = [];

/** The origin of the world that is played now; the proxies' upstream passes requests on to it. */
const played = { origin: '' };

const upstream: Server = createServer((incoming, outgoing) => {
  const { method = 'GET', url = '/', headers } = incoming;
  const onward = request(
    played.origin + url,
    { method, headers: { ...headers, host: new URL(played.origin).host } },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
});

/** The URLs of the proxies by their documents. */
const proxies = new Map<string, Promise<string>>();

/** Starts a proxy that compares what it passes on with a document. */
function startProxy(document: string): Promise<string> {
  const file = join(folder, `${proxies.size}.json`);
  writeFileSync(file, document);
  const { port } = upstream.address() as AddressInfo;
  const proxy = spawn(
    'npx',
    ['--yes', PRISM, 'proxy', file, `http://127.0.0.1:${port}${BASE_PATH}`, '-h', '127.0.0.1', '-p', '0'],
    { detached: true },
  );
  processes.push(proxy);
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (part: Buffer) => {
      text += part.toString();
      const [, url] = /listening on (http:\S+?)\s/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    };
    proxy.stdout.on('data', read);
    proxy.stderr.on('data', read);
    proxy.on('exit', () => reject(new Error(text)));
  });
}

/** Whether the proxy can read a request: it never answers a POST without JSON. */
function isReadable({ method = 'GET', body }: RequestInit): boolean {
  try {
    return method === 'GET' || typeof JSON.parse(body as string) === 'object';
  } catch {
    return false;
  }
}

const found = { calls: 0, deviations: new Set<string>() };

/** Worlds behind a proxy. */
const target: Target = {
  ...httpServer,
  open: async (options) => {
    const world = await httpServer.open(options);
    const document = JSON.stringify(documentFor(resolveConfig(options).variants));
    const proxy = proxies.get(document) ?? startProxy(document);
    proxies.set(document, proxy);
    const url = await proxy;
    played.origin = new URL(world.baseUrl).origin;
    const direct = world.fetch;
    return Object.assign(world, {
      fetch: async (asked: string, init: RequestInit = {}) => {
        const path = asked.slice(world.baseUrl.length);
        if (!asked.startsWith(`${world.baseUrl}/agent`) || !isReadable(init)) return direct(asked, init);
        const answer = await direct(url + path, init);
        found.calls += 1;
        const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as Deviation[];
        // What is wrong with a request is no deviation when it is refused.
        for (const { location, message } of violations)
          if (location[0] === 'response' || answer.ok)
            found.deviations.add(
              `${init.method ?? 'GET'} ${path} ${answer.status} ${location.join('.')}: ${message}`,
            );
        return answer;
      },
    });
  },
};

const root = process.cwd();
const files = await findFiles(['scenarios'], root);
const all = (await Promise.all(files.map((file) => loadFile(file, root)))).flat();
// Faults put answers in place of those that the document describes.
const scenarios = all.filter(({ play, tags }) => play.kind !== 'property' && !tags.includes('faults'));

describe('a contract proxy finds no deviation from the OpenAPI document', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      upstream.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => {
    for (const { pid } of processes) if (pid !== undefined) process.kill(-pid);
    upstream.close();
    upstream.closeAllConnections();
  });

  it.each(scenarios)('$file: $name', async (scenario) => {
    const options = {
      seed: null,
      timeoutMs: 60_000,
      rerun: () => '',
      engine: 'litesvm',
      target,
      isDetailed: false,
    } as const;
    found.deviations.clear();
    expect(await playScenario(scenario, options)).toMatchObject({ verdict: 'passed' });
    expect([...found.deviations]).toEqual([]);
  });

  it('has seen the scenarios', () => {
    expect(found.calls).toBeGreaterThan(1_000);
  });
});
