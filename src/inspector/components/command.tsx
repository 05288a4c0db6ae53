import type { ComponentChildren } from 'preact';
import type { CommandId } from '../../api/control/commands.js';
import type { Answer, Ask } from '../control/client.js';
import { useSession } from '../session.js';
import { Button } from './button.js';
import { DialogButton, type FormValues } from './form.js';

interface CommandProps<I extends CommandId> {
  readonly name: string;
  readonly command: I;
  /** The message after the command has run. */
  readonly done: string | ((answer: Answer<I>) => string);
  readonly class?: string;
  readonly isDisabled?: boolean;
}

interface CommandButtonProps<I extends CommandId> extends CommandProps<I> {
  readonly ask?: Ask<I>;
  readonly label?: string;
}

export function CommandButton<I extends CommandId>({ command, ask, done, ...rest }: CommandButtonProps<I>) {
  const session = useSession();
  return <Button {...rest} onClick={() => session.run(command, ask, done)} />;
}

interface CommandDialogProps<I extends CommandId> extends CommandProps<I> {
  readonly title?: string;
  readonly submit?: string;
  readonly ask: Ask<I> | ((values: FormValues) => Ask<I>);
  readonly children: ComponentChildren;
}

/** A button that opens a dialog for a command's input, or for confirmation. */
export function CommandDialog<I extends CommandId>({ command, ask, done, ...dialog }: CommandDialogProps<I>) {
  const session = useSession();
  return (
    <DialogButton
      {...dialog}
      onSubmit={(values) => session.run(command, typeof ask === 'function' ? ask(values) : ask, done)}
    />
  );
}

/** The non-empty texts and numbers of a form. */
export function filledIn(values: FormValues, texts: readonly string[], numbers: readonly string[] = []) {
  const filled = (names: readonly string[]) => names.filter((name) => (values[name] ?? '') !== '');
  return Object.fromEntries([
    ...filled(texts).map((name) => [name, values[name]]),
    ...filled(numbers).map((name) => [name, Number(values[name])]),
  ]) as Record<string, string | number>;
}
