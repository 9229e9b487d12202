/** Where in a text sources are cited. */
export interface Mark {
  /** In UTF-16 code units of the text that it comes with: the markers go behind what ends there. */
  readonly at: number;
  /** The numbers by which the provider calls the sources. */
  readonly ids: readonly (number | string)[];
  /** Whether a marker of the provider's own stood here and was taken out. */
  readonly isReplacement?: boolean | undefined;
}

/** A text and where in it sources are cited. */
export interface AnnotatedText {
  readonly text: string;
  /** In order of the text. */
  readonly marks: readonly Mark[];
}
