import type { Argv } from 'yargs';

type CamelCase<Name> = Name extends `${infer Word}-${infer More}`
  ? `${Word}${Capitalize<CamelCase<More>>}`
  : Name;

type Optional<A> = {
  readonly [K in keyof A as undefined extends A[K] ? CamelCase<K> & string : never]?: A[K];
};
type Required<A> = {
  readonly [K in keyof A as undefined extends A[K] ? never : CamelCase<K> & string]: A[K];
};

export type ArgumentsOf<F extends (y: Argv) => unknown> =
  ReturnType<F> extends Argv<infer A> ? Required<A> & Optional<A> : never;

export const JSON_LINE = {
  json: { type: 'boolean', default: false, describe: 'print one line of JSON' },
} as const;

/** The name of an option for an argument: `retry-after` for `retryAfter`. */
export function optionName(argument: string): string {
  return argument.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
