import { EventLines } from './lines.js';
import type { EventLog } from './log.js';

const HEARTBEAT_MS = 15_000;

/**
 * The log as server-sent events, from after a number on. A reader that is too slow holds nothing up: what it has missed by the time
 * it reads on is told as a `gap`.
 */
export function eventStream(log: EventLog, after: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = new EventLines();
  let sent = after;
  let stop: () => void = () => undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let wake: (() => void) | null = null;
  const next = (): string => {
    if (sent + 1 < log.oldest) {
      const missed = log.oldest - 1 - sent;
      sent = log.oldest - 1;
      return `event: gap\ndata: {"missed":${missed}}\n\n`;
    }
    sent += 1;
    const event = log.at(sent);
    return event === null ? '' : `id: ${sent}\nevent: ${event.body.kind}\ndata: ${lines.of(event)}\n\n`;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(': events of this world\n\n'));
        stop = log.onAppend(() => wake?.());
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
        }, HEARTBEAT_MS);
        heartbeat.unref();
      },
      async pull(controller) {
        while (sent >= log.last) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = null;
        }
        let text = '';
        while (sent < log.last && text.length < 65_536) text += next();
        controller.enqueue(encoder.encode(text));
      },
      cancel() {
        stop();
        clearInterval(heartbeat);
      },
    },
    { highWaterMark: 1 },
  );
}
