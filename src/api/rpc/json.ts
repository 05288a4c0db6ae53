/**
 * JSON with bigints as plain integers: lamports and rent epochs have 64 bits and Solana's clients read them
 * as such, which JSON.stringify cannot write. Undefined members are omitted.
 */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      break;
    default:
      return JSON.stringify(value) ?? 'null';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${toJson(member)}`;
  }
  return `{${text}}`;
}
