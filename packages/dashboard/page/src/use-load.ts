import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** What was last loaded; stays while it is loaded again. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads again. */
  reload(): void;
  /** Puts a value in place of what was loaded. */
  replace(data: T): void;
}

/**
 * Loads a value when the view opens and whenever `key` changes. Only the newest load counts.
 *
 * @param key what `load` depends on; `null` loads nothing.
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
