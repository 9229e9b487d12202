import { useCallback, useLayoutEffect, useState } from 'preact/hooks';

/** A view and its filters, as in `#/requests?status=5`: a link shows the same rows. */
export interface Address {
  readonly view: string;
  readonly params: Readonly<Record<string, string>>;
}

export type Params = Readonly<Record<string, string | null | undefined>>;

export function linkTo(view: string, params: Params = {}): string {
  return `#/${view}${queryOf(params)}`;
}

/** `?a=b`, without empty ones; empty for none. */
export function queryOf(params: Params): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function readAddress(): Address {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** How a change is kept: as a step that the browser's Back undoes, or, while somebody types, in place of the step before. */
type Step = 'push' | 'replace';

/** The address, and a function that changes some of its parameters; an empty one is left out. */
export function useAddress(): Address & { change(part: Params, step?: Step): void } {
  const [address, setAddress] = useState(readAddress);
  // Before the paint: nobody can change the address while no one listens.
  useLayoutEffect(() => {
    // Back changes nothing but the text behind `#`, so browsers send this too.
    const onHash = () => setAddress(readAddress());
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const change = useCallback((part: Params, step: Step = 'push') => {
    const { view, params } = readAddress();
    const link = linkTo(view, { ...params, ...part });
    if (link === location.hash) return;
    history[`${step}State`](null, '', link);
    dispatchEvent(new Event('hashchange'));
  }, []);
  return { ...address, change };
}
