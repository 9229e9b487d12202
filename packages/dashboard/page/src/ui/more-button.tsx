import { type Pages, useAction } from '../use-pages.js';
import { ErrorNotice } from './notice.js';

/** Loads the next page of a list, where there is one. */
export function MoreButton({ pages }: { pages: Pages<unknown> }) {
  const { isBusy, error, run } = useAction();
  const { more } = pages;
  if (more === null) return null;
  return (
    <>
      <ErrorNotice error={error} />
      <button type="button" disabled={isBusy} onClick={() => void run(more)}>
        {isBusy ? 'Loading…' : 'Show more'}
      </button>
    </>
  );
}
