/** A count with separators, independent of the locale, and its noun: `12,345`, `1 run`, `2 runs`. */
export function counted(count: number, noun?: string): string {
  const text = String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  if (noun === undefined) return text;
  return `${text} ${noun}${count === 1 ? '' : 's'}`;
}
