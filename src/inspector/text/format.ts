/** Formats numbers with grouped digits; a negative sign is U+2212. */
function formatter(maximumFractionDigits: number, options?: Intl.NumberFormatOptions) {
  const format = new Intl.NumberFormat('en-US', {
    signDisplay: 'negative',
    maximumFractionDigits,
    ...options,
  });
  return (value: number) => format.format(value).replace('-', '−');
}

const AMOUNTS = {
  USDC: formatter(6, { minimumFractionDigits: 2 }),
  SOL: formatter(9, { minimumFractionDigits: 2 }),
};
export type Token = keyof typeof AMOUNTS;

/** An amount in token units: `1,234.50`. */
export function amountText(value: number, token: Token): string {
  return AMOUNTS[token](value);
}

/** A value in USD: `$1,234.50`. */
export const usdText = formatter(2, { style: 'currency', currency: 'USD' });

/** A count: `12,345`. */
export const countText = formatter(0);

const hundredths = formatter(2);

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
  return `${hundredths(fraction * 100)} %`;
}

export function shortId(id: string, ends = 4): string {
  return id.length > 2 * ends + 3 ? `${id.slice(0, ends)}…${id.slice(-ends)}` : id;
}

/** An instant in UTC: `2026-01-31 12:00:00`; with milliseconds when asked. */
export function instantText(iso: string, withMs = false): string {
  const text = iso.replace('T', ' ').replace('Z', '');
  return withMs ? text : text.slice(0, 19);
}
