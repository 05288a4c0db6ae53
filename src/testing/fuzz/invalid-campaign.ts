/**
 * A campaign that cannot be played as it was asked for: a mistake of the caller, unlike other errors of a campaign. The name tells it apart where
 * it has crossed processes.
 */
export class InvalidCampaign extends RangeError {
  override readonly name = 'InvalidCampaign';
}

export const NOTHING_TO_DRAW =
  'none of the commands that are allowed can be drawn: allow signIn, send or others too';
