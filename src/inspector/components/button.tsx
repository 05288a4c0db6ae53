interface ButtonProps {
  readonly name: string;
  /** Its name for screen readers, when other buttons have the same name. */
  readonly label?: string | undefined;
  readonly class?: string;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly onClick: () => unknown;
}

export function Button({ name, label, class: kind = '', isDisabled = false, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      disabled={isDisabled}
      aria-pressed={rest.isPressed}
      onClick={() => void rest.onClick()}
    >
      {name}
    </button>
  );
}
