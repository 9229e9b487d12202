import { useCallback, useState } from 'preact/hooks';
import type { Page } from '../../src/api/contract.js';
import { apiUrl, getJson, type Query } from './api.js';
import { type Loaded, useLoad } from './use-load.js';

export interface Pages<Row> extends Loaded<Page<Row>> {
  /** Appends the next page; `null` where there is none. */
  readonly more: (() => Promise<void>) | null;
}

/** A list that is read page by page. */
export function usePages<Row>(path: string, query: Query = {}): Pages<Row> {
  const pages = useLoad(apiUrl(path, query), () => getJson<Page<Row>>(path, query));
  const { data, replace } = pages;
  const next = data?.next ?? null;
  const append = useCallback(async () => {
    const page = await getJson<Page<Row>>(path, { ...query, after: next });
    replace({ rows: [...(data?.rows ?? []), ...page.rows], next: page.next });
  }, [data, next, path, query, replace]);
  return { ...pages, more: next === null ? null : append };
}

/** Runs an action at a time, and keeps its error for the place where it was started. */
export function useAction(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  run(action: () => Promise<unknown>): Promise<boolean>;
} {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  const run = useCallback(async (action: () => Promise<unknown>) => {
    setState({ isBusy: true, error: undefined });
    try {
      await action();
      setState({ isBusy: false, error: undefined });
      return true;
    } catch (error) {
      setState({ isBusy: false, error });
      return false;
    }
  }, []);
  return { ...state, run };
}
