/** A small, realistic bug: one place of the source changed. */
export interface PlantedBug {
  readonly name: string;
  /** Under `src`. */
  readonly file: string;
  /** The text that is there once. */
  readonly from: string;
  readonly to: string;
  /** Further options of `sim fuzz`, where the defaults cannot meet the bug. */
  readonly flags?: readonly string[];
}
