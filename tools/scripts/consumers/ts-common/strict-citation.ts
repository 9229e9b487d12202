import type { Citation, Provider } from '@searchgate/core/provider-kit';

interface Source {
  readonly link: string;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
}

/** A provider's code under `exactOptionalPropertyTypes`: a title that may be missing is passed on unchanged. */
export function citationOf({ link, title, text }: Source): Citation {
  return { url: link, title, snippet: text };
}

export function answerFrom(sources: readonly Source[]): Provider['answer'] {
  return { answer: () => Promise.resolve({ text: 'Yes [1].', citations: sources.map(citationOf), cost: {} }) };
}
