/** Decimals of a token: the most, and the least that are shown. */
const DECIMALS = { USDC: [6, 2], SOL: [9, 2] } as const;
export type Token = keyof typeof DECIMALS;

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number with grouped digits and a minimum of decimals; a negative sign is U+2212. */
function decimal(value: number, most: number, least: number): string {
  const [whole = '0', part = ''] = Math.abs(value).toFixed(most).split('.');
  const shown = part.replace(/0+$/, '').padEnd(least, '0');
  const isZero = /^0*$/.test(whole + shown);
  return `${value < 0 && !isZero ? '−' : ''}${grouped(whole)}${shown === '' ? '' : `.${shown}`}`;
}

/** An amount in token units: `1,234.50`. */
export function amountText(value: number, token: Token): string {
  const [most, least] = DECIMALS[token];
  return decimal(value, most, least);
}

/** A value in USD: `$1,234.50`. */
export function usdText(value: number): string {
  return `${value < 0 ? '−' : ''}$${decimal(Math.abs(value), 2, 2)}`;
}

/** A count: `12,345`. */
export function countText(value: number): string {
  return decimal(value, 0, 0);
}

/** A count with its noun: `1 event`, `2 events`. */
export function countedText(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** An identifier of the interface in words: `pending review`. */
export function wordsText(word: string): string {
  return word.toLowerCase().replaceAll('_', ' ');
}

/** A fraction as a percentage: `1.7 %`. */
export function percentText(fraction: number): string {
  return `${decimal(fraction * 100, 2, 0)} %`;
}

export function shortId(id: string, ends = 4): string {
  return id.length > 2 * ends + 3 ? `${id.slice(0, ends)}…${id.slice(-ends)}` : id;
}

/** An instant in UTC: `2026-01-31 12:00:00`; with milliseconds when asked. */
export function instantText(iso: string, withMs = false): string {
  const text = iso.replace('T', ' ').replace('Z', '');
  return withMs ? text : text.slice(0, 19);
}
