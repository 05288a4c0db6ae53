import { useSession } from '../session.js';
import { wordsText } from '../text/format.js';
import { Button } from './button.js';

interface SearchProps {
  /** The name of the filter in the address. */
  readonly name: string;
  readonly label?: string;
  readonly hint?: string;
  /** Whether it is applied at each key, rather than at the end of the input. */
  readonly isLive?: boolean;
}

export function Search({ name, label = name, hint = label, isLive = false }: SearchProps) {
  const session = useSession();
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

interface ChipsProps<T extends string> {
  readonly label: string;
  readonly options: readonly T[];
  readonly isChosen: (option: T) => boolean;
  readonly onClick: (option: T) => void;
}

/** Words to choose from by clicking. */
export function Chips<T extends string>({ label, options, isChosen, onClick }: ChipsProps<T>) {
  return (
    <div class="actions" role="group" aria-label={label}>
      {options.map((option) => (
        <Button
          key={option}
          name={wordsText(option)}
          class="chip"
          isPressed={isChosen(option)}
          onClick={() => onClick(option)}
        />
      ))}
    </div>
  );
}

/** Words to choose one from, as the filter `status` of the address. */
export function StatusFilter({ label, options }: Pick<ChipsProps<string>, 'label' | 'options'>) {
  const session = useSession();
  const chosen = session.route.value?.query['status'] ?? '';
  return (
    <Chips
      label={label}
      options={options}
      isChosen={(option) => option === chosen}
      onClick={(option) => session.setQuery({ status: option === chosen ? '' : option })}
    />
  );
}
