/** The text of a file is no recording, or one of a newer version. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}
