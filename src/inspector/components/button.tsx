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
