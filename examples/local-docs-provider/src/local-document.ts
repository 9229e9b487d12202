/** One Markdown document and where the public can read it. */
export interface LocalDocument {
  /** What it belongs to, such as a package's name. Each of its words, divided by blanks, names it in a question. */
  readonly source: string;
  /** Absolute http(s) URL of the document; citations add the anchor of the section. */
  readonly url: string;
  readonly markdown: string;
  /** Other wordings of its headings, by heading, with semicolons between them: `{ 'Opening hours': 'when may I come; is it open' }`. */
  readonly wordings?: Readonly<Record<string, string>> | undefined;
  /** Questions that are asked of all documents, and that none of them answers: what is more like one of these is refused. */
  readonly unanswered?: readonly string[] | undefined;
}
