import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/api/rpc/outbox.js';

function outbox() {
  const seen: string[] = [];
  let [waiting, dropped] = [0, 0];
  const box = new Outbox({
    waitingBytes: () => waiting,
    write: (text) => seen.push(text),
    ping: (payload) => seen.push(`ping ${payload}`),
    drop: () => {
      dropped += 1;
    },
  });
  return {
    box,
    seen,
    wait: (bytes: number) => {
      waiting = bytes;
    },
    dropped: () => dropped,
  };
}

describe('outbox of a WebSocket', () => {
  it('holds notifications until the client has read the preceding response, in order', () => {
    const { box, seen } = outbox();
    box.notify('free');
    box.began();
    box.notify('early');
    box.answer('subscription 1');
    box.notify('first');
    expect(seen).toEqual(['free', 'subscription 1', 'ping 1']);
    box.began();
    box.notify('second');
    box.ponged('1');
    expect(seen.slice(3)).toEqual(['early', 'first']);
    box.answer('subscription 2');
    box.ponged('2');
    box.notify('third');
    expect(seen.slice(5)).toEqual(['subscription 2', 'ping 2', 'second', 'third']);
  });

  it('pings for subscriptions only, and ignores unrequested pongs', () => {
    const { box, seen } = outbox();
    box.answer('plain');
    box.began();
    for (const payload of ['1', '99', 'x', '-1', '']) box.ponged(payload);
    box.notify('held');
    box.answer('subscription');
    expect(seen).toEqual(['plain', 'subscription', 'ping 1']);
    box.ponged('1');
    expect(seen.at(-1)).toBe('held');
  });

  it('has one ping in flight at a time, for all earlier responses', () => {
    const { box, seen } = outbox();
    for (let at = 1; at <= 400; at += 1) {
      box.began();
      box.answer(`subscription ${at}`);
    }
    box.notify('last');
    expect(seen.filter((text) => text.startsWith('ping'))).toEqual(['ping 1']);
    box.ponged('1');
    expect(seen.at(-1)).toBe('ping 400');
    box.ponged('400');
    expect(seen.at(-1)).toBe('last');
  });

  it('drops a client that does not read, by messages held or unsent', () => {
    const held = outbox();
    held.box.began();
    for (let at = 0; at < 5; at += 1) held.box.notify('x'.repeat(1_024 * 1_024));
    expect(held.dropped()).toBe(1);
    const written = outbox();
    written.wait(5 * 1_024 * 1_024);
    written.box.notify('late');
    expect([written.dropped(), written.seen]).toEqual([1, []]);
  });
});
