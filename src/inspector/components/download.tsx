import type { Ask } from '../control/client.js';
import { useSession } from '../session.js';
import { Button } from './button.js';

export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read it only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

interface ExportButtonProps<I extends 'exportState' | 'exportJournal'> {
  readonly name: string;
  readonly command: I;
  readonly ask?: Ask<I>;
  /** The name of the file. */
  readonly file: string;
}

/** A button that downloads the bytes of a command. */
export function ExportButton<I extends 'exportState' | 'exportJournal'>(props: ExportButtonProps<I>) {
  const { name, command, ask, file } = props;
  const session = useSession();
  const save = async () => download(file, await session.control.bytes(command, ask));
  return <Button name={name} onClick={() => session.act(save, `Exported to ${file}.`)} />;
}
