/** The part of a JSON schema that describes an object's members. */
interface ObjectSchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly required?: readonly string[];
}

function orNull(schema: ObjectSchema): ObjectSchema {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] } as ObjectSchema;
  const names = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, type: [schema.type, 'null'], ...names };
}

/** A request's schema in which an optional member may be `null`, which `parseBySchema` treats as absent. */
export function withNullMembers<S extends object>(schema: S): S {
  const { properties, required = [] } = schema as ObjectSchema;
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const inner = withNullMembers(member);
    return [name, required.includes(name) ? inner : orNull(inner)] as const;
  });
  return { ...schema, properties: Object.fromEntries(members) };
}
