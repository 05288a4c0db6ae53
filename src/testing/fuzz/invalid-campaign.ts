/** The caller requested a campaign that cannot be played. The name identifies the error after it has crossed processes. */
export class InvalidCampaign extends RangeError {
  override readonly name = 'InvalidCampaign';
}

export const NOTHING_TO_DRAW = 'none of the allowed commands can be drawn: also allow signIn, send or others';
