import { linkTo } from '../address.js';
import type { Past } from './history.js';

interface HistoryListProps {
  readonly history: readonly Past[];
  readonly onChosen: (past: Past) => void;
}

/** The last questions: each is asked again of the chosen models, or, by the link beside it, of those that were asked. */
export function HistoryList({ history, onChosen }: HistoryListProps) {
  if (history.length === 0) return null;
  return (
    <details>
      <summary>Last questions of this tab · {history.length}</summary>
      <ul class="list">
        {history.map((past, index) => (
          <li key={index}>
            <button type="button" class="link cut" onClick={() => onChosen(past)}>
              {past.query || Object.values(past.lists).join(' ')}
            </button>
            <a class="hint" href={linkTo('playground', { models: past.models })} title="Choose these models">
              {past.models.replaceAll(',', ', ')}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
