/** The largest power of ten in an unsigned integer of 64 bits; Agave returns no `uiAmount` beyond it. */
const MAX_UI_DECIMALS = 19;

/**
 * An amount in base units as `amount`, `uiAmount` and `uiAmountString`, the last without trailing zeros. `decimals` is the mint's, 0 to
 * 255. Source: `token_amount_to_ui_amount_v3` and `real_number_string_trimmed` of Agave's account-decoder, for mints without interest or
 * scaling.
 */
export function uiTokenAmount(amountBase: bigint, decimals: number) {
  const amount = amountBase.toString();
  return {
    amount,
    decimals,
    /** Inexact, since it is a double; null for too many decimals. */
    uiAmount: decimals > MAX_UI_DECIMALS ? null : Number(amountBase) / Number(10n ** BigInt(decimals)),
    uiAmountString: decimals === 0 ? amount : decimalText(amount, decimals),
  };
}

function decimalText(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}
