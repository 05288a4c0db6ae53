import { counted } from '../../../core/counted.js';
import type { StudyManifest, StudyPoint } from '../results.js';
import type { SweptValue } from '../schema.js';

const SHORTEST = 28;
const PRECISION = 4;

/** Formats a number: whole numbers with separators, other numbers with four digits. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const isLarge = Math.abs(value) >= 10 ** PRECISION;
  const shown = isLarge ? Math.round(value) : Number(value.toPrecision(PRECISION));
  return Number.isInteger(shown) ? counted(shown) : String(shown);
}

export function differenceText(value: number): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '±';
  return `${sign}${figureText(Math.abs(value))}`;
}

/** A share from 0 to 1 as a percentage; a share below one percent, with one digit more. */
export function shareText(share: number): string {
  return `${share > 0 && share < 0.01 ? (share * 100).toPrecision(1) : Math.round(share * 100)} %`;
}

/** A swept value; a long value is cut in the middle. */
export function valueText(value: SweptValue): string {
  const text = String(value);
  return text.length <= SHORTEST ? text : `${text.slice(0, SHORTEST - 9)}…${text.slice(-8)}`;
}

/** Short names of swept options: the last part of the path, or the whole path if the last part is ambiguous. */
export function shortNames({ parameters }: Pick<StudyManifest, 'parameters'>): ReadonlyMap<string, string> {
  // The name of a token alone would read as a currency.
  const lastOf = (path: string) => /[^.]+(\.(usdc|sol))?$/.exec(path)?.[0] ?? path;
  const lasts = parameters.map(lastOf);
  return new Map(
    parameters.map((path, at) => [
      path,
      lasts.filter((last) => last === lasts[at]).length > 1 ? path : lastOf(path),
    ]),
  );
}

/** A point in words, such as `maxLtv 0.7, review auto`. */
export function pointText(
  { values }: Pick<StudyPoint, 'values'>,
  names: ReadonlyMap<string, string>,
): string {
  const words = Object.entries(values).map(
    ([path, value]) => `${names.get(path) ?? path} ${valueText(value)}`,
  );
  return words.length === 0 ? 'all runs' : words.join(', ');
}
