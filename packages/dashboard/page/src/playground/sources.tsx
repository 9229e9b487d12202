import { isWebUrl } from '../markdown/web-url.js';
import type { Source } from './use-ask.js';

const MAX_SOURCES = 100;
const MAX_SNIPPET_CHARACTERS = 280;

interface SourcesProps {
  readonly sources: readonly Source[];
  /** Number of the source whose marker is pointed at. */
  readonly pointedAt: number | null;
  readonly onPoint: (source: number | null) => void;
}

/** The numbered sources of an answer. Pointing at one marks where the answer cites it. */
export function Sources({ sources, pointedAt, onPoint }: SourcesProps) {
  return (
    <section aria-label="Sources" class="sources">
      <h2>Sources</h2>
      {sources.length === 0 && <p class="hint">None yet.</p>}
      <ol>
        {sources.slice(0, MAX_SOURCES).map((source, index) => (
          <li
            key={`${index} ${source.url}`}
            class={pointedAt === index + 1 ? 'pointed-at' : undefined}
            onMouseEnter={() => onPoint(index + 1)}
            onMouseLeave={() => onPoint(null)}
            onFocusIn={() => onPoint(index + 1)}
            onFocusOut={() => onPoint(null)}
          >
            <SourceLink source={source} />
            {source.snippet && <p class="hint">{source.snippet.slice(0, MAX_SNIPPET_CHARACTERS)}</p>}
          </li>
        ))}
      </ol>
      {sources.length > MAX_SOURCES && <p class="hint">Only the first {MAX_SOURCES} are shown.</p>}
    </section>
  );
}

function SourceLink({ source: { url, title } }: { source: Source }) {
  if (!isWebUrl(url)) return <span>{title}</span>;
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {title || url}
      </a>{' '}
      <span class="hint">{new URL(url).host}</span>
    </>
  );
}
