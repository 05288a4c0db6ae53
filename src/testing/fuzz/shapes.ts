import fc from 'fast-check';
import { z } from 'zod';
import type { Json } from './step.js';

/** The JSON Schema of one value. */
export interface Shape {
  readonly type?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** A member of a body or query, as its schema defines it. */
export interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

export function membersOf(schema: z.ZodObject | undefined): readonly Member[] {
  if (schema === undefined) return [];
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  // Schemas with a name appear as references.
  const named = whole.$ref?.split('/').at(-1) ?? '';
  const { properties = {}, required = [] } = whole.$defs?.[named] ?? whole;
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    shape,
    isRequired: required.includes(name),
  }));
}

/** Some texts as long as ids and digests, and some nearly well-formed. */
const TEXTS = [
  '',
  'a',
  'x402',
  'größer als 1 €',
  'line\nbreak',
  '🙂',
  '"quoted"',
  '${',
  '0',
  'null',
  'lunch at the usual place, twice',
  'QUJDREVGR0hJSktMTU5PUFFSU1RVVg==',
  'abcdefghijklmnopqrstuvwxyz-_+/',
];

function textOf({ maxLength = 64 }: Shape): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.constant('m'.repeat(maxLength)) },
    { weight: 1, arbitrary: fc.constant('m'.repeat(maxLength + 1)) },
  );
}

function wholeOf({ minimum = 0, maximum = 1_000 }: Shape): fc.Arbitrary<Json> {
  const most = Math.min(maximum, 1_000_000_000);
  const edges = [minimum, minimum + 1, most, most - 1, 30];
  const outside = [minimum - 1, maximum + 1, 1.5];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...edges) },
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: Math.min(most, minimum + 100) }) },
    { weight: 1, arbitrary: fc.constantFrom(...outside) },
  );
}

/** Values at the bounds of a schema, one step beyond them, enumerated values and one that is not enumerated. */
export function valueOf(shape: Shape): fc.Arbitrary<Json> {
  if (shape.enum !== undefined)
    return fc.oneof(
      { weight: 19, arbitrary: fc.constantFrom(...shape.enum) },
      { weight: 1, arbitrary: fc.constantFrom<Json>('something else', '', 7) },
    );
  switch (shape.type) {
    case 'integer':
      return wholeOf(shape);
    case 'number':
      return fc.constantFrom<Json>(0, 1, -1, 0.5, 100, 1e6);
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(shape.properties ?? {}).map(([name, member]) => [name, valueOf(member)]),
        ),
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>;
    default:
      return textOf(shape);
  }
}

/** A value in the notation of a query. */
export function queryText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Values of commonly confused types. */
export const wrongType: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, 7, true, 'text', [], {}, [1], -0.5);
