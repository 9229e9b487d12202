/** A place in a text where sources are cited. */
export interface Mark {
  /** The offset behind the cited text, in UTF-16 code units of the text of the mark. */
  readonly at: number;
  /** The provider's numbers of the sources. */
  readonly ids: readonly (number | string)[];
  /** Whether a marker of the provider was removed here. */
  readonly isReplacement?: boolean | undefined;
}

/** A text with marks. */
export interface AnnotatedText {
  /** Without the provider's own markers where marks stand for them. */
  readonly text: string;
  /** In order of the text. */
  readonly marks: readonly Mark[];
}
