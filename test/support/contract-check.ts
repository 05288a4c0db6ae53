import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Endpoint, BASE_PATH, endpoints } from '../../src/contract/endpoints.js';
import { operationAt } from '../../src/contract/match-path.js';
import { openApiDocument } from '../../src/contract/openapi.js';
import { type SimulatorConfig, resolveConfig } from '../../src/runtime/config.js';
import type { Target } from '../../src/testing/scenario/target.js';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

interface Reply extends Content {
  readonly headers?: Readonly<Record<string, object>>;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly in: 'path' | 'query' | 'header';
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Reply>>;
}

/** The OpenAPI document of the service. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The document that a service with these switches and limits publishes. */
export function documentFor(variants: object, limits: object = {}): Document {
  const config = resolveConfig({ variants, limits });
  const table = endpoints(config.variants, config.bankLimits);
  return JSON.parse(JSON.stringify(openApiDocument(table, 'http://sim.local'))) as Document;
}

/** RFC 3339. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** A validator of values by the schemas of a document: gives what is wrong, or an empty text. */
export function validatorOf(document: Document): (pointer: readonly string[], value: unknown) => string {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': DATE_TIME } });
  ajv.addSchema(document, 'document');
  return (pointer, value) => {
    const path = pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')));
    const validate = ajv.getSchema(`document#/${path.join('/')}`);
    if (validate === undefined) return `the document has no ${pointer.join(' ')}`;
    return validate(value) === true ? '' : ajv.errorsText(validate.errors);
  };
}

/** Whether a fault has replaced a response; the document says nothing of those. */
function isInjected(body: unknown): boolean {
  return Array.isArray((body as { details?: { faults?: unknown } } | null)?.details?.faults);
}

/** A check of responses by the document of a table of endpoints; gives what is wrong, or an empty text. */
export function responseCheck(
  document: Document,
  table: Readonly<Record<string, Pick<Endpoint, 'method' | 'path'>>>,
): (method: string, url: string, answer: Response) => Promise<string> {
  const wrong = validatorOf(document);
  return async (method, url, answer) => {
    const { pathname } = new URL(url);
    const at = operationAt(table, method as 'GET', pathname.slice(BASE_PATH.length));
    if (!pathname.startsWith(BASE_PATH) || at === null) return '';
    const { path } = table[at.operation] as Endpoint;
    const body: unknown = await answer.clone().json();
    if (isInjected(body)) return '';
    const reply = ['paths', path, method.toLowerCase(), 'responses', String(answer.status)];
    const { headers = {} } = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status] ?? {};
    const missing = Object.keys(headers).filter((name) => !answer.headers.has(name));
    const problem = wrong([...reply, 'content', 'application/json', 'schema'], body) || missing.join(', ');
    return problem === '' ? '' : `${method} ${path} ${answer.status}: ${problem}`;
  };
}

const checks = new Map<string, ReturnType<typeof responseCheck>>();

/** The check of a service with these switches and limits. Compiling its schemas takes most of a scenario's time. */
function checkFor({ variants, bankLimits }: SimulatorConfig): ReturnType<typeof responseCheck> {
  const name = JSON.stringify([variants, bankLimits]);
  const check =
    checks.get(name) ?? responseCheck(documentFor(variants, bankLimits), endpoints(variants, bankLimits));
  checks.set(name, check);
  return check;
}

/** A target whose worlds note in `problems` which answers of the service do not fit its document. */
export function checkedTarget(target: Target, problems: string[]): Target {
  return {
    ...target,
    open: async (options) => {
      const world = await target.open(options);
      const check = checkFor(resolveConfig(options));
      const ask = world.fetch.bind(world);
      return Object.assign(world, {
        fetch: async (url: string, init: RequestInit = {}) => {
          const answer = await ask(url, init);
          const problem = url.startsWith(world.baseUrl) ? await check(init.method ?? 'GET', url, answer) : '';
          if (problem !== '') problems.push(problem);
          return answer;
        },
      });
    },
  };
}
