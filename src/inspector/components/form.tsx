import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Problem } from './states.js';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

interface FieldBoxProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly id: string;
  readonly children: ComponentChildren;
}

function Field({ id, label, hint, children }: FieldBoxProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : <span class="hint">{hint}</span>}
      {children}
    </div>
  );
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'number' | 'password';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export function Input({ value = '', type = 'text', isRequired = false, ...field }: InputProps) {
  const id = useId();
  const { name, placeholder } = field;
  return (
    <Field id={id} {...field}>
      <input
        {...({ id, name, placeholder, type } as ComponentProps<'input'>)}
        step={type === 'number' ? 'any' : undefined}
        defaultValue={value}
        required={isRequired}
        autoComplete="off"
      />
    </Field>
  );
}

interface SelectProps extends FieldProps {
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly onChange?: (value: string) => void;
}

export function Select({ value, options, onChange, ...field }: SelectProps) {
  const id = useId();
  return (
    <Field id={id} {...field}>
      <select id={id} name={field.name} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
        {options.map((option) => {
          const [word, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={word} value={word} selected={word === value}>
              {text}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

interface CheckProps {
  readonly label: string;
  readonly name: string;
  readonly value?: boolean;
}

export function Check({ label, name, value = false }: CheckProps) {
  return (
    <label>
      <input type="checkbox" name={name} defaultChecked={value} /> {label}
    </label>
  );
}

/** The values of a form by name; `on` for a ticked box. */
export type FormValues = Readonly<Record<string, string>>;

interface FormProps {
  readonly class?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly onSubmit: (values: FormValues) => unknown;
}

export function Form({ class: kind, label, children, onSubmit }: FormProps) {
  return (
    <form
      class={kind}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)].filter(
          (field): field is [string, string] => typeof field[1] === 'string',
        );
        void onSubmit(Object.fromEntries(given.map(([name, value]) => [name, value.trim()])));
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

const FIRST_FIELD = 'input:not([type=radio]:not(:checked)), select, textarea';

/** A dialog that focuses its first field, keeps the focus, and closes on Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
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

interface DialogButtonProps {
  readonly name: string;
  readonly title?: string;
  readonly class?: string;
  readonly submit?: string;
  readonly isDisabled?: boolean;
  readonly children: ComponentChildren;
  /** A returned text says what is wrong with the values; the dialog then stays open. */
  readonly onSubmit: (values: FormValues) => unknown;
}

export function DialogButton(props: DialogButtonProps) {
  const { name, title = name, submit = name, children, onSubmit, ...button } = props;
  const [isOpen, setOpen] = useState(false);
  const [objection, setObjection] = useState<string | null>(null);
  const show = (is: boolean, wrong: string | null = null) => {
    setOpen(is);
    setObjection(wrong);
  };
  const send = (values: FormValues) => {
    const wrong = onSubmit(values);
    if (typeof wrong === 'string') show(true, wrong);
    else show(false);
  };
  return (
    <>
      <Button {...button} name={name} onClick={() => show(true)} />
      {isOpen ? (
        <Dialog title={title} onClose={() => show(false)}>
          <Form onSubmit={send}>
            {children}
            {objection === null ? null : <Problem text={objection} />}
            <div class="actions">
              <Button name="Cancel" onClick={() => show(false)} />
              <Button name={submit} class="primary" />
            </div>
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
