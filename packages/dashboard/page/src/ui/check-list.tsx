import { useId, useState } from 'preact/hooks';
import { Field } from './field.js';

interface CheckListProps {
  readonly label: string;
  /** In order. */
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
  /** What it means if none is chosen. */
  readonly none: string;
  /** How many can be chosen. Default: all. */
  readonly most?: number;
}

/** Chooses several of many: checks, with a search that filters them. */
export function CheckList({ label, options, chosen, onChosen, none, most }: CheckListProps) {
  const [search, setSearch] = useState('');
  const id = useId();
  // Those that are no longer offered can be given up.
  const all = [...new Set([...options, ...chosen])];
  const shown = all.filter((option) => option.toLowerCase().includes(search.trim().toLowerCase()));
  const toggle = (option: string) => onChosen(all.filter((one) => chosen.includes(one) !== (one === option)));
  return (
    <fieldset class="check-list wide">
      <legend>{label}</legend>
      <div
        class="toolbar"
        // Enter in the filter must not send the form around it.
        onKeyDown={(event) =>
          event.key === 'Enter' && event.target instanceof HTMLInputElement && event.preventDefault()
        }
      >
        <Field label={`Filter ${label.toLowerCase()}`} type="search" value={search} onValue={setSearch} />
        <button type="button" onClick={() => onChosen([])}>
          Clear
        </button>
        <span role="status" class="hint">
          {chosen.length === 0 ? none : `${chosen.length} of ${most ?? all.length} chosen`}
        </span>
      </div>
      <ul aria-label={label}>
        {shown.map((option) => (
          <li key={option}>
            <input
              id={`${id}-${option}`}
              type="checkbox"
              checked={chosen.includes(option)}
              disabled={chosen.length === most && !chosen.includes(option)}
              onChange={() => toggle(option)}
            />
            <label for={`${id}-${option}`}>{option}</label>
          </li>
        ))}
        {shown.length === 0 && <li class="hint">None fits.</li>}
      </ul>
    </fieldset>
  );
}
