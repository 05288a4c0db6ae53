/** The text of a file is no recording, or one of a newer version. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

/** A line of a file, from 1, is not what the format says. */
export function damaged(path: string, number: number, what: string): UnreadableRecording {
  return new UnreadableRecording(`${path} is damaged at line ${number}: ${what}`);
}
