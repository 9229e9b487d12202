import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../../src/api/contract.js';
import { apiUrl, getJson, type Query } from './api.js';

export interface Loaded<T> {
  /** The last loaded value; kept during a reload. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads again. */
  reload(): void;
  /** Replaces the loaded value. */
  replace(data: T): void;
}

/**
 * Loads a value when the view opens and whenever `key` changes. Only the newest load counts.
 *
 * @param key changes with the inputs of `load`; `null` loads nothing.
 */
export function useLoad<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'error' | 'isLoading'>>({
    data: undefined,
    error: undefined,
    isLoading: key !== null,
  });
  const newest = useRef(0);
  const loader = useRef(load);
  loader.current = load;

  const reload = useCallback(() => {
    newest.current += 1;
    const mine = newest.current;
    const isNewest = () => mine === newest.current;
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    loader.current().then(
      (data) => isNewest() && setState({ data, error: undefined, isLoading: false }),
      (error: unknown) => isNewest() && setState(({ data }) => ({ data, error, isLoading: false })),
    );
  }, []);
  const replace = useCallback((data: T) => {
    newest.current += 1;
    setState({ data, error: undefined, isLoading: false });
  }, []);

  useEffect(() => {
    if (key === null) setState({ data: undefined, error: undefined, isLoading: false });
    else reload();
    return () => void (newest.current += 1);
  }, [key, reload]);
  return { ...state, reload, replace };
}

const REFRESH_MS = 5_000;

/** Refreshes every five seconds while the page is in sight. */
export function useRefresh(refresh: () => void, isOn = true): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isOn]);
}

export interface Pages<Row, Of extends Page<Row> = Page<Row>> extends Loaded<Of> {
  /** Appends the next page; `null` on the last page. */
  readonly more: (() => Promise<void>) | null;
}

/** A paged list. */
export function usePages<Row, Of extends Page<Row> = Page<Row>>(path: string, query: Query = {}): Pages<Row, Of> {
  const pages = useLoad(apiUrl(path, query), () => getJson<Of>(path, query));
  const { data, replace } = pages;
  const next = data?.next_cursor ?? null;
  const append = useCallback(async () => {
    const page = await getJson<Of>(path, { ...query, cursor: next });
    replace({ ...page, data: [...(data?.data ?? []), ...page.data] });
  }, [data, next, path, query, replace]);
  return { ...pages, more: next === null ? null : append };
}

/** Runs one action at a time, and keeps its error to show next to its control. */
export function useAction(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  run(action: () => Promise<unknown>): Promise<void>;
} {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  const run = useCallback(async (action: () => Promise<unknown>) => {
    setState({ isBusy: true, error: undefined });
    try {
      await action();
      setState({ isBusy: false, error: undefined });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  }, []);
  return { ...state, run };
}
