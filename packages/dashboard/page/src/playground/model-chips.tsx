import { useId, useRef, useState } from 'preact/hooks';
import type { Model } from '../../../src/api/contract.js';
import { MAX_MODELS } from './chosen-models.js';

interface ModelChipsProps {
  /** Of one kind. */
  readonly models: readonly Model[];
  /** The first is chosen elsewhere. */
  readonly chosen: readonly Model[];
  readonly onChosen: (chosen: readonly Model[]) => void;
}

/** The models beside the first: each can be left out, and others are added from a list that is searched. */
export function ModelChips({ models, chosen, onChosen }: ModelChipsProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [first, ...others] = chosen;
  const toggle = (model: Model) => {
    const isChosen = chosen.includes(model);
    if (isChosen || chosen.length < MAX_MODELS) {
      onChosen(isChosen ? chosen.filter((one) => one !== model) : [...chosen, model]);
    }
  };
  return (
    <div class="chips">
      {others.map((model) => (
        <button
          key={model.id}
          type="button"
          class="chip"
          aria-label={`Leave out ${model.id} ${model.price}`}
          onClick={() => {
            toggle(model);
            opener.current?.focus();
          }}
        >
          {model.id} <span class="hint">{model.price}</span> <span aria-hidden="true">✕</span>
        </button>
      ))}
      <button ref={opener} type="button" popovertarget={id}>
        Compare with…
      </button>
      <div id={id} popover="auto" class="palette" role="dialog" aria-label="Compare with">
        <Checks models={models.filter((model) => model !== first)} chosen={chosen} onToggle={toggle} />
      </div>
    </div>
  );
}

interface ChecksProps extends Pick<ModelChipsProps, 'models' | 'chosen'> {
  readonly onToggle: (model: Model) => void;
}

/** In the form of the question, which Enter must not send from here. */
function Checks({ models, chosen, onToggle }: ChecksProps) {
  const [search, setSearch] = useState('');
  const found = models.filter(({ id }) => id.toLowerCase().includes(search.trim().toLowerCase()));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const first = found.find((model) => !chosen.includes(model));
    if (first !== undefined && search !== '') onToggle(first);
    setSearch('');
  };
  return (
    <div onKeyDown={onKeyDown}>
      <input
        type="search"
        aria-label="Search models"
        placeholder="Search; Enter takes the first"
        autofocus
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {found.map((model) => (
        <label key={model.id}>
          <input
            type="checkbox"
            checked={chosen.includes(model)}
            disabled={!chosen.includes(model) && chosen.length >= MAX_MODELS}
            onChange={() => onToggle(model)}
          />
          <span>
            {model.id} <span class="hint">{model.price}</span>
          </span>
        </label>
      ))}
      <p class="hint">{found.length === 0 ? 'No model fits.' : `At most ${MAX_MODELS} models answer side by side.`}</p>
    </div>
  );
}
