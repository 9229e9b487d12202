/** One source. The gateway drops urls that are not http(s) (and renumbers markers), fills in missing titles and snippets. */
export interface Citation {
  readonly url: string;
  readonly title?: string | null | undefined;
  readonly snippet?: string | null | undefined;
}
