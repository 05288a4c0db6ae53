/** A message of a stream of server-sent events. */
export interface Message {
  readonly event: string;
  readonly data: string;
}

/** Splits a stream of server-sent events into messages; a chunk may end anywhere. */
export class MessageParser {
  #rest = '';

  take(chunk: string): Message[] {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      let [event, data] = ['message', ''];
      for (const line of block.split('\n')) {
        if (line.startsWith('event: ')) event = line.slice(7);
        else if (line.startsWith('data: ')) data += line.slice(6);
      }
      return data === '' ? [] : [{ event, data }];
    });
  }
}
