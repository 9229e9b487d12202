import type { KindReply } from '@searchgate/client';
import { useContext } from 'preact/hooks';
import { count } from '../format.js';
import { MAX_SHOWN_CHARACTERS } from '../markdown/answer-text.js';
import { isWebUrl } from '../markdown/web-url.js';
import { pageAddress, SharedSources } from './shared-sources.js';
import type { Source } from './use-ask.js';

export function SourceLink({ source: { url, title } }: { source: Pick<Source, 'url' | 'title'> }) {
  const models = useContext(SharedSources).get(pageAddress(url)) ?? 1;
  if (!isWebUrl(url)) return <span>{title}</span>;
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {title || url}
      </a>{' '}
      <span class="hint">{new URL(url).host}</span>
      {models > 1 && <span class="shared">by {models} models</span>}
    </>
  );
}

type Page = KindReply<'search' | 'extract'>['results'][number];

/** Found or read pages. What pages say stays text. */
export function Pages({ pages }: { pages: readonly Page[] }) {
  // All texts together have the limit of an answer.
  const most = Math.floor(MAX_SHOWN_CHARACTERS / Math.max(1, pages.length));
  return (
    <ol class="pages">
      {pages.map((page) => (
        <li key={page.url}>
          <SourceLink source={page} />
          {'snippet' in page && page.snippet !== '' && <p>{page.snippet}</p>}
          <p class="hint">{[page.date, scoreOf(page)].filter(Boolean).join(' · ')}</p>
          {page.content && <PageText page={page} text={page.content} most={most} />}
        </li>
      ))}
    </ol>
  );
}

function scoreOf(page: Page): string | null {
  return 'score' in page && page.score !== null ? `score ${page.score}` : null;
}

/** The text of a page in a scrollable box that the keyboard can reach. */
function PageText({ page, text, most }: { page: Page; text: string; most: number }) {
  const isCut = text.length > most || ('truncated' in page && page.truncated);
  return (
    <>
      <section class="page-text" tabIndex={0} aria-label={`Text of ${page.url}`}>
        {text.slice(0, most)}
      </section>
      {isCut && <p class="hint">Only the first {count(Math.min(text.length, most))} characters are shown.</p>}
    </>
  );
}

export type FailedPage = KindReply<'extract'>['failed'][number];

/** The pages that could not be read. */
export function FailedPages({ failed }: { failed: readonly FailedPage[] }) {
  if (failed.length === 0) return null;
  return (
    <ul class="pages" aria-label="Failed pages">
      {failed.map(({ url, reason }) => (
        <li key={url}>
          <span class="bad">{reason}</span> <SourceLink source={{ url, title: url }} />
        </li>
      ))}
    </ul>
  );
}
