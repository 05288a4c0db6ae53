import type { CampaignInput } from '../src/testing/fuzz-library.js';

/** A small, realistic bug: one place of the source changed. */
export interface PlantedBug {
  readonly name: string;
  /** Under `src`. */
  readonly file: string;
  /** The text that is there once. */
  readonly from: string;
  readonly to: string;
  /** Options of the campaign, where the defaults cannot meet the bug. */
  readonly options?: Pick<CampaignInput, 'property' | 'transport' | 'variants' | 'limits' | 'weights'>;
}
