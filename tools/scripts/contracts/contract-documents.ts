import documents from './documents.json' with { type: 'json' };

/** The OpenAPI document of a vendor, or the reason why there is none. */
export type ContractDocument = KnownDocument | MissingDocument;

interface MissingDocument {
  readonly provider: string;
  readonly missing: string;
}

export interface KnownDocument {
  readonly provider: string;
  /** File name in the folder of documents. */
  readonly file: string;
  /** Where the vendor publishes it. */
  readonly origin: string;
  /** A public copy, perhaps the vendor's own. `repository` is on GitHub; unknown facts are `null`. */
  readonly copy: Readonly<Record<'repository' | 'commit' | 'date' | 'license', string | null>> & {
    readonly path: string;
  };
  /** Remarks for readers of the results. */
  readonly notes?: string;
  /** Settings of the provider that make its requests contain every possible field. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Known, accepted deviations from the document. A deviation that no longer occurs fails the run. */
  readonly deviations?: readonly Deviation[];
}

export interface Deviation {
  /** Prefix of the covered problems: `body.depth:`. */
  readonly problem: string;
  /** Default: all models of the provider. */
  readonly models?: readonly string[];
  readonly reason: string;
}

/** The documents available on 2026-11-21. They stay out of this repository: they are large, and belong to others. */
export const CONTRACT_DOCUMENTS = documents as readonly ContractDocument[];
