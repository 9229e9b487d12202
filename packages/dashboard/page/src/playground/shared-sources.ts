import { createContext } from 'preact';

/** How many of the compared models have an address among their sources, by {@link pageAddress}. */
export const SharedSources = createContext<ReadonlyMap<string, number>>(new Map());

/** An address without its fragment and a slash at its end: what differs in nothing else is one source. */
export function pageAddress(url: string): string {
  const whole = URL.canParse(url) ? new URL(url).href : url;
  return whole.replace(/#.*/s, '').replace(/\/$/, '');
}

/** @param sources of each model. */
export function countModels(sources: readonly (readonly { readonly url: string }[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const ofModel of sources) {
    for (const page of new Set(ofModel.map(({ url }) => pageAddress(url))))
      counts.set(page, (counts.get(page) ?? 0) + 1);
  }
  return counts;
}
