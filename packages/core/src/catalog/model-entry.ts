import type { MeteredUsage } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import type { OptionSupport } from '../base/search-options/option-support.js';
import type { SearchOption } from '../base/search-options/search-options.js';
import { CATEGORIES, type Category } from './categories.js';

export type { MeteredUsage };
export { CATEGORIES, type Category };

/** How certain a researched fact is. */
type Confidence = 'high' | 'medium' | 'low';

/** The source of a fact, and when it was read. Never on the wire. */
export interface Provenance {
  /** The address of the page, or several with `;` between them. */
  readonly source: string;
  /** ISO date the source was read. */
  readonly asOf: string;
  /** How certain the fact is. */
  readonly confidence: Confidence;
  /** Notes for maintainers. */
  readonly notes?: string | undefined;
}

/** Prices of results, pages, search units and tokens. Default: none. Decimal strings, USD. */
export interface UnitRates {
  /** Of each result that is asked for beyond `includedResults`. */
  readonly perResult?: string | undefined;
  /** How many results the price of a call covers. Default 0. */
  readonly includedResults?: number | undefined;
  /** Results beyond these are billed in whole steps of so many. Default 1. */
  readonly resultStep?: number | undefined;
  /** Of each page whose text comes. */
  readonly perPage?: string | undefined;
  /** The most pages that the vendor bills for each page that is asked for: the hold covers them. Default 1. */
  readonly heldPages?: number | undefined;
  /** Of each search unit: a query with up to 100 documents to sort. */
  readonly perSearchUnit?: string | undefined;
  /** Of a million tokens of documents that are sorted, or of texts that become vectors. */
  readonly perMillionTokens?: string | undefined;
}

/** A fixed price. Decimal strings, USD. */
export interface FlatPrice extends Provenance, UnitRates {
  readonly kind: 'flat';
  /** Of a call, apart from its units. Default "0", where there is a rate per unit. */
  readonly request?: string | undefined;
  /** ISO date (UTC) from which this row is valid; absent for no beginning. */
  readonly validFrom?: string | undefined;
}

/** A price known only after the call: reported by the provider, or computed from usage. Decimal strings, USD. */
export interface DynamicPrice extends Provenance, UnitRates {
  readonly kind: 'dynamic';
  /** Default: input tokens have no price of their own. */
  readonly perMillionInputTokens?: string | undefined;
  /** The dearest price of input tokens, such as that of a long prompt: of the hold of a long question. Default: that of input tokens, else 8 USD. */
  readonly heldPerMillionInputTokens?: string | undefined;
  /** Defaults to the price of other input tokens. */
  readonly perMillionCachedInputTokens?: string | undefined;
  /** Default: output tokens have no price of their own. */
  readonly perMillionOutputTokens?: string | undefined;
  /** Of a search that the model makes. Default: searches have no price of their own. */
  readonly perSearch?: string | undefined;
  /**
   * The usual cost: the lowest quote. Of a call; in a row of a search model of ten results asked for, of an extract model of one page, of a model that
   * sorts documents of one search unit, of an embedding model of a million tokens.
   */
  readonly typical: string;
  /** More than is expected, of the same size as `typical`: the highest quote without a cost history, and the charge of a call without any figure. */
  readonly ceiling: string;
  /** ISO date (UTC) from which this row is valid; absent for no beginning. */
  readonly validFrom?: string | undefined;
}

/** A price of a model, in a span of time. */
export type PriceRow = FlatPrice | DynamicPrice;

/** A call of another model that an answer is made of. */
export interface ModelPart {
  /** The kind of the call. */
  readonly kind: 'search' | 'extract' | 'rerank';
  /** A slug, an alias or a group of the gateway. Not twice in a model. */
  readonly model: string;
  /** The most that one answer asks of it: so much is held. */
  readonly most: {
    /** Of a search. */
    readonly results?: number | undefined;
    /** Texts of pages, of a search or an extract. */
    readonly pages?: number | undefined;
    /** Of a rerank: hundreds of documents. */
    readonly searchUnits?: number | undefined;
    /** Of a rerank: of the query and a document, for each document. */
    readonly tokens?: number | undefined;
  };
}

/** A model as its provider declares it. */
export interface ModelRow {
  /** `<provider>/<model>`. */
  readonly slug: string;
  /** As people write it. */
  readonly name: string;
  /** One sentence for people who choose a model. */
  readonly description: string;
  /** In order of `validFrom`; the last row that has begun is valid. At least one row has no `validFrom`. */
  readonly prices: readonly PriceRow[];
  /** Features that callers of this gateway can use. Known flags that no caller can use yet are not listed, even if a provider declares them. */
  readonly features: readonly string[];
  /** Other features of the vendor's API; never on the wire. */
  readonly vendorFeatures?: readonly string[] | undefined;
  /** The supported search options, each with the field of the vendor's API that has the same effect. Default: no options. */
  readonly options?: OptionSupport | undefined;
  /**
   * Answer models: the other models that an answer is made of, asked by `CallContext.run`. Their prices are added to `prices`; the options of the searches and the
   * policies of all of them are those of the model. None of them has parts itself. Default: none.
   */
  readonly parts?: readonly ModelPart[] | undefined;
  /** In tokens; absent or `null` if unknown or without meaning. */
  readonly contextLength?: number | null | undefined;
  /** Search models: how pages are found. */
  readonly searchTypes?: readonly string[] | undefined;
  /** Search models: the most results of one call. */
  readonly maxResults?: number | undefined;
  /** Models that sort documents: the most of one call. Default: as many as callers may send. */
  readonly maxDocuments?: number | undefined;
  /** Embedding models: the length of vectors, where the caller names none. */
  readonly dimensions?: number | undefined;
  /** Embedding models with the feature `dimensions_param`: the lengths to choose from. Default: every length from `leastDimensions` to `dimensions`. */
  readonly vectorLengths?: readonly number[] | undefined;
  /** Embedding models with the feature `dimensions_param` and without `vectorLengths`: the shortest length. Default 1. */
  readonly leastDimensions?: number | undefined;
  /**
   * Models that sort documents: a document of more tokens than this, together with the query, counts as several in `perSearchUnit`. Default: each document counts once in
   * the hold.
   */
  readonly chunkTokens?: number | undefined;
  /** Models of texts: the most tokens that are read of one, and billed. Default: `contextLength`, else no bound. */
  readonly maxInputTokens?: number | undefined;
  /** Embedding models: the most tokens of all texts of a request, by an upper bound. A text of more goes alone. Default: no bound. */
  readonly maxRequestTokens?: number | undefined;
  /** The deadline of an attempt in milliseconds, from connect to the last byte. */
  readonly timeoutMs: number;
  /**
   * ISO date (UTC) on which the vendor ends the model, which is not listed after that day; absent for no announced end. Calls are sent as before, because
   * vendors postpone.
   */
  readonly retiresOn?: string | undefined;
  /** The slug of the model that the vendor recommends in its place. Default: none. */
  readonly replacement?: string | undefined;
}

/** The listed `pricing` of an entry: only strings, decimals with markup, `"-1"` for dynamic. */
export interface ListedPricing
  extends Pick<FlatPrice, 'request' | 'perResult' | 'perPage' | 'perSearchUnit' | 'perMillionTokens'>,
    Pick<DynamicPrice, 'perMillionInputTokens' | 'perMillionOutputTokens' | 'perSearch'> {
  readonly unit: 'USD';
}

/** The price of a listed-only model, as decimal strings. */
export type WrittenPricing = Pick<ListedPricing, 'request'> & Omit<UnitRates, 'heldPages'>;

/** An entry of `GET /models`. A field that does not apply is `null`. */
export interface ModelEntry {
  /** The slug, `<provider>/<model>`, by which callers name it. */
  readonly id: string;
  /** The day of its oldest known price, in milliseconds since the Unix epoch; 0 for a model that the host added. */
  readonly createdMs: number;
  /** As people write it. */
  readonly name: string;
  /** The kind of calls that it serves. */
  readonly category: Category;
  /** The id of its provider. */
  readonly provider: string;
  /** One sentence for people who choose a model. */
  readonly description: string;
  /** The present list price, with markup. */
  readonly pricing: ListedPricing;
  /** Set where a call costs nothing, whatever it asks for. Absent otherwise. */
  readonly free?: true | undefined;
  /**
   * The fee of a call with the organization's own key, in place of {@link pricing}: a share of what the vendor bills, or USD of a call, as decimals. Absent where
   * the organization has no key at the provider.
   */
  readonly byok?: { readonly share: string } | { readonly request: string } | undefined;
  /** Search models: how pages are found. */
  readonly searchTypes: readonly string[] | null;
  /** Flags of what callers can use, such as `streaming`. */
  readonly features: readonly string[];
  /** What the host states about its contract with the provider; empty for nothing. */
  readonly policies: readonly string[];
  /** Answer and search models that can be called: the search options that callers may send. */
  readonly options?: readonly SearchOption[] | undefined;
  /** Search models: the most results of one call. */
  readonly maxResults: number | null;
  /** How many results the price of a call covers, where further results have a price. */
  readonly includedResults: number | null;
  /** Further results are billed in whole steps of so many. */
  readonly resultStep: number | null;
  /** Embedding models: the length of vectors, where the caller names none. */
  readonly dimensions: number | null;
  /** The most tokens that are read of a text. */
  readonly maxInputTokens: number | null;
  /** In tokens. */
  readonly contextLength: number | null;
  /** ISO date (UTC) on which the vendor ends the model, which is not listed after that day. */
  readonly retiresOn: string | null;
  /** The slug of the model that the vendor recommends in its place. */
  readonly replacement: string | null;
  /** ISO date (UTC) of its last real call in which the host found no fault; `null` for none that is known. */
  readonly verifiedAt: string | null;
  /** Whether this gateway can call the model: its provider is configured, and its path is on. */
  readonly callable: boolean;
}

/** A provider's report about the cost of a call. */
export interface OutcomeCost {
  /** The reported cost, if any. Before markup. */
  readonly reported?: NanoUsd | undefined;
  /** The reported usage, if any. */
  readonly usage?: MeteredUsage | undefined;
}
