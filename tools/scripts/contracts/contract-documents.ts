import documents from './documents.json' with { type: 'json' };

/** The OpenAPI document of a vendor, or why there is none. */
export type ContractDocument = KnownDocument | MissingDocument;

interface MissingDocument {
  readonly provider: string;
  readonly missing: string;
}

export interface KnownDocument {
  readonly provider: string;
  /** Its name in the folder of documents. */
  readonly file: string;
  /** Where the vendor publishes it. */
  readonly origin: string;
  /** Where a copy of it, or the vendor's own, is public. `repository` is on GitHub; what is not known is `null`. */
  readonly copy: Readonly<Record<'repository' | 'commit' | 'date' | 'license', string | null>> & {
    readonly path: string;
  };
  /** What a reader of the results should know of it. */
  readonly notes?: string;
  /** Settings of the provider that put every field into its requests that it can send. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What is known not to be as the document has it, and stays. A deviation that is not found any more fails the run. */
  readonly deviations?: readonly Deviation[];
}

export interface Deviation {
  /** How a problem begins that it stands for: `body.depth:`. */
  readonly problem: string;
  /** Default: all models of the provider. */
  readonly models?: readonly string[];
  readonly reason: string;
}

/** What was to be had on 2026-11-21. The documents themselves stay out of this repository: they are large, and belong to others. */
export const CONTRACT_DOCUMENTS = documents as readonly ContractDocument[];
