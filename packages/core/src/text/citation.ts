/** A cited source. The gateway drops URLs that are no http(s) address of a page, renumbers the markers, and fills in missing titles and snippets. */
export interface Citation {
  /** The address of the page; each comes once. */
  readonly url: string;
  /** Absent or `null` for none. */
  readonly title?: string | null | undefined;
  /** The passage that the answer cites; absent or `null` for none. */
  readonly snippet?: string | null | undefined;
}
