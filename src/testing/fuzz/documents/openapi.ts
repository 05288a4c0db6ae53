import { z } from 'zod';
import { isObject, issueText } from '../../../core/json.js';
import type { Answer, ApiCall } from '../model/types.js';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface Parameter {
  readonly name: string;
  readonly description?: string;
}

/** An operation as an OpenAPI document describes it. */
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Media;
  readonly responses: Readonly<
    Record<string, Media & { readonly headers?: Readonly<Record<string, unknown>> }>
  >;
}

/** The parts of an OpenAPI document that callers rely on. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly statuses: ReadonlySet<number>;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  readonly refusal: z.ZodType;
  /** What callers are not told; null for nothing. */
  readonly gap: string | null;
}

/** What a description of more than a word or two begins with. */
const SENTENCE = /^[A-Z“(]/;

/** The members of a request that nothing explains. */
function unexplained(schema: unknown): string[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, member]) => {
    const { description, enum: values, $ref, examples } = isObject(member) ? member : {};
    const isExplained =
      ((typeof description === 'string' && SENTENCE.test(description)) ||
        values !== undefined ||
        $ref !== undefined) &&
      !(Array.isArray(examples) && (examples.length === 0 || examples.includes('')));
    return isExplained || unexplained(member).length > 0 ? unexplained(member) : [name];
  });
}

/** A member that an answer's schema does not list is one that callers do not know of. */
function listingAll(_key: string, schema: unknown): unknown {
  return isObject(schema) && isObject(schema['properties'])
    ? { additionalProperties: false, ...schema }
    : schema;
}

/** The headers that its document does not name as an operation takes them and answers with them. */
function misnamedHeaders(method: string, operation: Operation): string[] {
  const { parameters = [], responses, security = [] } = operation;
  const takesKey = method === 'post' && security.length > 0;
  const isNamed = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key');
  const answers = Object.entries(responses).flatMap(([status, { headers = {} }]) =>
    ['X-Request-Id', ...(status === '401' ? ['WWW-Authenticate'] : [])].filter((name) => !(name in headers)),
  );
  return [...(takesKey === isNamed ? [] : ['Idempotency-Key']), ...answers];
}

/** The service as its OpenAPI document describes it to callers. */
export class Description {
  readonly #operations = new Map<string, Described>();

  constructor(document: OpenApi) {
    const compiled = (media: Media | undefined, reviver?: typeof listingAll) => {
      const schema = media?.content?.['application/json']?.schema;
      if (schema === undefined) return null;
      const text = JSON.stringify({ ...(schema as object), $defs: document.components.schemas });
      const given = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'), reviver) as JsonSchema;
      return { given, check: z.fromJSONSchema(given) };
    };
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const body = compiled(operation.requestBody);
        const answer = compiled(operation.responses['200'], listingAll);
        const lacks = [
          ...(SENTENCE.test(operation.summary ?? '') ? [] : ['summary']),
          ...(operation.parameters ?? [])
            .filter(({ description = '' }) => !SENTENCE.test(description))
            .map(({ name }) => name),
          ...misnamedHeaders(method, operation),
          ...(operation.requestBody !== undefined && body === null ? ['the body'] : []),
          ...unexplained(body?.given),
          ...(isObject(answer?.given) && ('$ref' in answer.given || 'properties' in answer.given)
            ? []
            : ['the answer']),
        ];
        this.#operations.set(operation.operationId, {
          method,
          path,
          isOpen: (operation.security ?? []).length === 0,
          statuses: new Set(Object.keys(operation.responses).map(Number)),
          body: body?.check ?? null,
          answer: answer?.check ?? z.never(),
          refusal: compiled(operation.responses['400'], listingAll)?.check ?? z.never(),
          gap: lacks[0] ?? null,
        });
      }
  }

  /** Operations by method and path, as documents list them. */
  get listed(): readonly string[] {
    return [...this.#operations.values()]
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
      .toSorted();
  }

  /** An operation of which callers are told too little; null for none. */
  gap(): string | null {
    for (const [operation, { gap }] of this.#operations)
      if (gap !== null) return `the document does not explain ${gap} of ${operation}`;
    return null;
  }

  /** How an answer contradicts what callers are told; null if it does not. */
  contradiction(call: ApiCall, answer: Answer): string | null {
    const described = this.#operations.get(call.operation);
    if (described === undefined) return `the document lacks ${call.operation}`;
    if (!described.statuses.has(answer.status))
      return `the document lacks status ${answer.status} of ${call.operation}`;
    const body = JSON.parse(JSON.stringify(answer.body)) as unknown;
    const code = isObject(body) ? body['code'] : undefined;
    const wanted = answer.status === 200 ? described.answer : described.refusal;
    const fits = wanted.safeParse(body);
    if (!fits.success)
      return `the document says otherwise of an answer to ${call.operation}: ${issueText(fits.error)}`;
    if (code === 'missing_token' && described.isOpen)
      return `the document says that ${call.operation} needs no token`;
    if (answer.status !== 200) return null;
    if (call.authorization === null && !described.isOpen)
      return `the document says that ${call.operation} needs a token`;
    const taken = call.body === undefined ? undefined : described.body?.safeParse(call.body);
    return taken?.success === false
      ? `the document says that ${call.operation} does not take what it took: ${issueText(taken.error)}`
      : null;
  }
}
