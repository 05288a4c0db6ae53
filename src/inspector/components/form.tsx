import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from './states.js';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

function Field({
  id,
  label,
  hint,
  children,
}: Pick<FieldProps, 'label' | 'hint'> & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </div>
  );
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'number';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export function Input({ value = '', type = 'text', isRequired = false, ...field }: InputProps) {
  const id = useId();
  const { name, placeholder } = field;
  return (
    <Field id={id} {...field}>
      <input
        {...{ id, name, placeholder }}
        {...(type === 'number' ? ({ type, step: 'any' } as const) : ({ type } as const))}
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

export function Check({
  label,
  name,
  value = false,
}: {
  readonly label: string;
  readonly name: string;
  readonly value?: boolean;
}) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={value} /> {label}
    </label>
  );
}

/** The values of a form by name; `on` for a ticked box. */
export type FormValues = Readonly<Record<string, string>>;

export function Form({
  children,
  onSubmit,
  class: name = '',
  label,
}: {
  readonly children: ComponentChildren;
  readonly onSubmit: (values: FormValues) => void;
  readonly class?: string;
  readonly label?: string;
}) {
  return (
    <form
      class={name}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const given: Record<string, string> = {};
        new FormData(event.currentTarget).forEach((value, key) => {
          if (typeof value === 'string') given[key] = value.trim();
        });
        onSubmit(given);
      }}
    >
      {children}
    </form>
  );
}

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Finds the first field; in a group of choices, the selected one. */
const FIRST_FIELD = 'input:not([type=radio]:not(:checked)), select, textarea';

/** A dialog that focuses its first field, keeps the focus, and closes on Escape. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = element;
    if (!isOpen || current === null) return;
    current.showModal();
    current.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div>
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </header>
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
  /** Returns what is wrong with the values; the dialog then stays open. */
  readonly onSubmit: (values: FormValues) => string | void;
}

export function DialogButton(props: DialogButtonProps) {
  const {
    name,
    title = name,
    class: kind = '',
    submit = name,
    isDisabled = false,
    children,
    onSubmit,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const [objection, setObjection] = useState<string | null>(null);
  const show = (is: boolean) => {
    setOpen(is);
    setObjection(null);
  };
  return (
    <>
      <button type="button" class={kind} disabled={isDisabled} onClick={() => show(true)}>
        {name}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={() => show(false)}>
        <Form
          onSubmit={(values) => {
            const wrong = onSubmit(values) ?? null;
            setObjection(wrong);
            setOpen(wrong !== null);
          }}
        >
          {children}
          {objection === null ? null : <Problem text={objection} />}
          <div class="actions">
            <button type="button" onClick={() => show(false)}>
              Cancel
            </button>
            <button type="submit" class="primary">
              {submit}
            </button>
          </div>
        </Form>
      </Dialog>
    </>
  );
}
