/** The file is not a recording, or has a newer version. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

/** Reports a malformed line of a file, counted from 1. */
export function damaged(path: string, number: number, what: string): UnreadableRecording {
  return new UnreadableRecording(`${path} is damaged at line ${number}: ${what}`);
}
