import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from './panel.js';
import type { CommandId } from '../../api/control/commands.js';
import type { Answer, Ask } from '../control/client.js';
import { session } from '../session.js';
import { wordsText } from '../text/format.js';

interface ButtonProps {
  readonly name: string;
  /** Its name for screen readers, when other buttons have the same name. */
  readonly label?: string | undefined;
  readonly class?: string;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  /** Absent for a button that submits its form. */
  readonly onClick?: () => unknown;
}

export function Button({ name, label, class: kind = '', isDisabled = false, ...rest }: ButtonProps) {
  const { isPressed, onClick } = rest;
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={kind}
      aria-label={label}
      disabled={isDisabled}
      aria-pressed={isPressed}
      onClick={onClick && (() => void onClick())}
    >
      {name}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

interface FieldBoxProps extends Pick<FieldProps, 'label' | 'hint'> {
  /** The field, which has the id that its label refers to. */
  readonly children: (id: string) => ComponentChildren;
}

export function Field({ label, hint, children }: FieldBoxProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : <span class="hint">{hint}</span>}
      {children(id)}
    </div>
  );
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'number' | 'password';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export function Input({ value = '', type = 'text', isRequired = false, ...field }: InputProps) {
  const { name, placeholder } = field;
  return (
    <Field {...field}>
      {(id) => (
        <input
          {...({ id, name, placeholder, type } as ComponentProps<'input'>)}
          step={type === 'number' ? 'any' : undefined}
          defaultValue={value}
          required={isRequired}
          autoComplete="off"
        />
      )}
    </Field>
  );
}

interface SelectProps extends FieldProps {
  readonly options: readonly (string | readonly [value: string, text: string, ...string[]])[];
  readonly onChange?: (value: string) => void;
}

export function Select({ value, options, onChange, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(id) => (
        <select id={id} name={field.name} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
          {options.map((option) => {
            const [word, text = word] = typeof option === 'string' ? [option] : option;
            return (
              <option key={word} value={word} selected={word === value}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

type CheckProps = Pick<FieldProps, 'label' | 'name'> & { readonly value?: boolean };

export function Check({ label, name, value = false }: CheckProps) {
  return (
    <label>
      <input type="checkbox" name={name} defaultChecked={value} /> {label}
    </label>
  );
}

function valueOf({ type, value, checked }: HTMLInputElement): string | number | boolean {
  if (type === 'checkbox') return checked;
  const text = value.trim();
  return type === 'number' && text !== '' ? Number(text) : text;
}

interface FormProps<V> {
  readonly class?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
  /** Receives the values by name: booleans of boxes, numbers of fields for numbers, and no member for an empty field. */
  readonly onSubmit: (values: V) => unknown;
}

export function Form<V extends object>({ class: kind, label, children, onSubmit }: FormProps<V>) {
  return (
    <form
      class={kind}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = ([...event.currentTarget.elements] as HTMLInputElement[]).filter(
          ({ name }) => name !== '',
        );
        const values = fields.map((field) => [field.name, valueOf(field), field.required] as const);
        void onSubmit(
          Object.fromEntries(values.filter(([, value, isRequired]) => value !== '' || isRequired)) as V,
        );
      }}
    >
      {children}
    </form>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that focuses its first field, keeps the focus, and closes on Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface DialogButtonProps<V> extends Omit<ButtonProps, 'onClick' | 'isPressed'> {
  readonly title?: string | undefined;
  readonly submit?: string | undefined;
  readonly children: ComponentChildren;
  /** A returned text says what is wrong with the values; the dialog then stays open. */
  readonly onSubmit: (values: V) => unknown;
}

export function DialogButton<V extends object>(props: DialogButtonProps<V>) {
  const { name, title = name, submit = name, children, onSubmit, ...button } = props;
  const [open, setOpen] = useState<{ readonly objection?: string } | null>(null);
  const send = (values: V) => {
    const objection = onSubmit(values);
    setOpen(typeof objection === 'string' ? { objection } : null);
  };
  return (
    <>
      <Button {...button} name={name} onClick={() => setOpen({})} />
      {open === null ? null : (
        <Dialog title={title} onClose={() => setOpen(null)}>
          <Form onSubmit={send}>
            {children}
            {open.objection === undefined ? null : <Problem text={open.objection} />}
            <div class="actions">
              <Button name="Cancel" onClick={() => setOpen(null)} />
              <Button name={submit} class="primary" />
            </div>
          </Form>
        </Dialog>
      )}
    </>
  );
}

interface CommandButtonProps<I extends CommandId> extends Omit<ButtonProps, 'onClick' | 'isPressed'> {
  readonly command: I;
  /** The input of the command, as far as no field of the dialog has it. */
  readonly ask?: Omit<Ask<I>, 'body'> & { readonly body?: object };
  /** The message after the command has run. */
  readonly done: string | ((answer: Answer<I>) => string);
  readonly title?: string;
  readonly submit?: string;
  /** The content of a dialog for confirmation, or with fields that are members of the command's body. */
  readonly children?: ComponentChildren;
}

/** A button that runs a command: at once, or when its dialog is submitted. */
export function CommandButton<I extends CommandId>(props: CommandButtonProps<I>) {
  const { command, ask, done, title, submit, children, ...button } = props;
  const run = (values = {}) =>
    session.run(command, { ...ask, body: { ...ask?.body, ...values } } as Ask<I>, done);
  if (children === undefined) return <Button {...button} onClick={() => run()} />;
  return (
    <DialogButton {...button} title={title} submit={submit} onSubmit={run}>
      {children}
    </DialogButton>
  );
}

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

interface ExportButtonProps {
  readonly name: string;
  readonly file: string;
  readonly read: () => Promise<Blob>;
}

export function ExportButton({ name, file, read }: ExportButtonProps) {
  const save = async () => download(file, await read());
  return <Button name={name} onClick={() => session.act(save, `Exported to ${file}.`)} />;
}

interface SearchProps {
  /** The name of the filter in the address. */
  readonly name: string;
  readonly label?: string;
  readonly hint?: string;
  /** Whether it is applied at each key, rather than at the end of the input. */
  readonly isLive?: boolean;
}

export function Search({ name, label = name, hint = label, isLive = false }: SearchProps) {
  const set = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
    session.setQuery({ [name]: isLive ? currentTarget.value : currentTarget.value.trim() });
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      value={session.route.value?.query[name] ?? ''}
      {...(isLive ? { onInput: set } : { onChange: set })}
    />
  );
}

interface ChipsProps {
  /** The name of the filter in the address. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly string[];
  /** Whether several can be chosen, with commas between them in the address. */
  readonly isMany?: boolean;
}

export function Chips({ name, label, options, isMany = false }: ChipsProps) {
  const chosen = (session.route.value?.query[name] ?? '').split(',');
  const toggled = (option: string) => {
    const kept = isMany ? chosen : chosen.filter((each) => each === option);
    return options.filter((each) => (each === option) !== kept.includes(each)).join(',');
  };
  return (
    <div class="actions" role="group" aria-label={label}>
      {options.map((option) => (
        <Button
          key={option}
          name={wordsText(option)}
          class="chip"
          isPressed={chosen.includes(option)}
          onClick={() => session.setQuery({ [name]: toggled(option) })}
        />
      ))}
    </div>
  );
}
