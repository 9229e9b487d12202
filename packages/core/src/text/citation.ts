/** A cited source. The gateway drops URLs that are not http(s), renumbers the markers, and fills in missing titles and snippets. */
export interface Citation {
  readonly url: string;
  readonly title?: string | null | undefined;
  readonly snippet?: string | null | undefined;
}
