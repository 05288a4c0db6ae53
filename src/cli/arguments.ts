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

/** An option or a positional with a text. */
export const text = (describe: string) => ({ type: 'string', describe }) as const;
/** A text that must be given. */
export const required = (describe: string) => ({ ...text(describe), demandOption: true }) as const;
/** A repeatable option with a text. */
export const texts = (describe: string) => ({ ...text(describe), array: true }) as const;
/** A repeatable option with a text, whose values are an empty list when it is left out. */
export const manyTexts = (describe: string) => ({ ...texts(describe), default: [] as string[] }) as const;

/** Reads decimal digits; other texts become NaN, which options refuse. */
export const decimal = (given: string): number =>
  /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(given) ? Number(given) : Number.NaN;

/**
 * The value of an option with a number: as `number` alone, yargs reads an empty text as 0, and `0x10` as 16. If it is given twice, it stays
 * a list, which is refused.
 */
export const DECIMAL = {
  type: 'string',
  number: true,
  coerce: (given: string | number) => (typeof given === 'string' ? decimal(given) : given),
} as const;
export const number = (describe: string) => ({ ...DECIMAL, describe }) as const;
/** An option that is off unless it is given. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

export const JSON_LINE = { json: flag('print one line of JSON') } as const;

/** The name of an option for an argument: `retry-after` for `retryAfter`. */
export function optionName(argument: string): string {
  return argument.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
