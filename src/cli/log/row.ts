import { changeText } from '../../runtime/events/change-text.js';
import { short } from '../remote/table.js';
import type { LoggedEvent } from './event.js';

const WIDTHS = [7, 24, 11, 12, 10] as const;

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '-');
}

function numbers(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const members = Object.entries(value).filter(([, member]) => typeof member !== 'object');
  const names = (name: string) => (Array.isArray(value) ? '' : `${name}=`);
  return members.map(([name, member]) => ` ${names(name)}${short(String(member))}`).join('');
}

function posting({ account, token, amount }: Readonly<Record<string, unknown>>): string {
  const change = changeText({
    account: plain(account),
    isCredit: Number(amount) < 0,
    amount: plain(amount).replace(/^-/, ''),
  });
  return `${plain(account)} ${change} ${plain(token)}`;
}

function whatOf(event: LoggedEvent): string {
  switch (event.kind) {
    case 'request': {
      const { interface: door, method, path, status, code, input } = event;
      const call = door === 'rpc' ? `RPC ${plain(path)}` : `${plain(method)} ${plain(path)}`;
      const verdict = `${status === null ? 'lost' : plain(status)}${code === null ? '' : ` ${plain(code)}`}`;
      return `${call} ${verdict}${numbers(input)}`;
    }
    case 'entry': {
      const { entry, facts, postings = [] } = event;
      const { kind } = (facts ?? {}) as { kind?: unknown };
      const moved = postings.map(posting).join(', ');
      return `entry ${plain(entry)} ${plain(kind)}${moved === '' ? '' : `: ${moved}`}`;
    }
    case 'transaction': {
      const { signature, slot, error } = event;
      return `${plain(signature)} in slot ${plain(slot)}${error === null ? '' : ` failed: ${JSON.stringify(error)}`}`;
    }
    case 'clock':
      return `${plain(event['how'])} from ${plain(event['from'])} (${plain(event['mode'])})`;
    case 'fired':
      return `${plain(event['event'])}${event['subject'] === null ? '' : ` ${plain(event['subject'])}`}`;
    default:
      return `${plain(event['what'])} ${plain(event['id'])}`;
  }
}

function line(cells: readonly string[]): string {
  return cells.map((cell, at) => (at < WIDTHS.length ? cell.padEnd(WIDTHS[at] ?? 0) : cell)).join(' ');
}

export const HEAD_ROW = line(['seq', 'at', 'kind', 'request', 'wallet', 'what']);

export function rowOf(event: LoggedEvent): string {
  const { seq, at, kind, requestId } = event;
  const wallet = event['wallet'] ?? event['signer'];
  return line([
    String(seq),
    at,
    kind,
    requestId ?? '-',
    typeof wallet === 'string' ? short(wallet) : '-',
    whatOf(event),
  ]);
}
