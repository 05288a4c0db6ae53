import { Amount } from '../../core/domain/money.js';
import type { Reader, Writer } from './bytes.js';
import type { Codec } from './codec.js';

// Type tags. These numbers are part of the format.
const NULL = 0;
const UNDEFINED = 1;
const FALSE = 2;
const TRUE = 3;
const NUMBER = 4;
const BIG = 5;
const TEXT = 6;
const BYTES = 7;
const LIST = 8;
const OBJECT = 9;
const AMOUNT = 10;

function writeObject(to: Writer, value: object): void {
  if (value instanceof Uint8Array) {
    to.count(BYTES);
    to.raw(value);
  } else if (Array.isArray(value)) {
    to.count(LIST);
    to.count(value.length);
    for (const member of value) write(to, member);
  } else if (value instanceof Amount) {
    to.count(AMOUNT);
    to.big(value.units);
    to.count(value.decimals);
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    const members = Object.entries(value);
    to.count(OBJECT);
    to.count(members.length);
    for (const [name, member] of members) {
      to.text(name);
      write(to, member);
    }
  } else {
    throw new Error(`a state cannot hold a ${value.constructor.name}`);
  }
}

function write(to: Writer, value: unknown): void {
  switch (typeof value) {
    case 'undefined':
      return to.count(UNDEFINED);
    case 'boolean':
      return to.count(value ? TRUE : FALSE);
    case 'number':
      to.count(NUMBER);
      return to.number(value);
    case 'bigint':
      to.count(BIG);
      return to.big(value);
    case 'string':
      to.count(TEXT);
      return to.text(value);
    case 'object':
      return value === null ? to.count(NULL) : writeObject(to, value);
    case 'function':
    case 'symbol':
      throw new Error(`a state cannot hold a ${typeof value}`);
  }
}

function readObject(from: Reader): object {
  const members: [string, unknown][] = [];
  for (let left = from.size(); left > 0; left -= 1) members.push([from.text(), read(from)]);
  return Object.fromEntries(members);
}

function read(from: Reader): unknown {
  switch (from.count()) {
    case NULL:
      return null;
    case UNDEFINED:
      return undefined;
    case FALSE:
      return false;
    case TRUE:
      return true;
    case NUMBER:
      return from.number();
    case BIG:
      return from.big();
    case TEXT:
      return from.text();
    case BYTES:
      return from.raw();
    case LIST:
      return Array.from({ length: from.size() }, () => read(from));
    case OBJECT:
      return readObject(from);
    case AMOUNT:
      return new Amount(from.big(), from.count());
    default:
      throw from.wrong();
  }
}

/** A codec for untyped values: errors of the chain, stored responses. The order of members is preserved. */
export function anything<T>(): Codec<T> {
  return { layout: 'anything', write, read: (from) => read(from) as T };
}
