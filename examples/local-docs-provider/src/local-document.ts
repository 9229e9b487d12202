/** One Markdown document and where the public can read it. */
export interface LocalDocument {
  /** What the document belongs to, such as a package's name. A question that names a source is answered from that source alone. */
  readonly source: string;
  /** Absolute http(s) URL of the document; citations add the anchor of the section. */
  readonly url: string;
  readonly markdown: string;
}
