import { z } from 'zod';
import type { ModelRow } from '../catalog/model-entry.js';
import { MAX_VECTOR_LENGTH } from '../text/reply-limits.js';
import { modelName } from './call-fields.js';
import type { ErrorTable } from './classify.js';
import { outcomeCost } from './compose-answer.js';
import { defineProvider, type ProviderIdentity } from './define-provider.js';
import { jsonEndpoint } from './json-endpoint.js';
import type {
  Connection,
  EmbedPort,
  OutcomeCost,
  Provider,
  ProviderEmbed,
  ProviderRerank,
  ProviderSettings,
  RerankPort,
} from './provider.js';
import { optional, requiredNumber } from './reply-fields.js';
import { costFields, routedCost } from './routed-cost.js';

/** Reads the vectors of a reply; without an index, they come in the order of the texts. */
type VectorsReply = z.ZodType<{
  readonly data: readonly {
    readonly index?: number | null | undefined;
    readonly embedding: string | readonly number[];
  }[];
}>;

/** How a vendor is asked. A key is sent as `Authorization: Bearer`. */
interface Asked<Call extends ProviderRerank | ProviderEmbed> {
  /** Appended to the base URL; begins with a slash. */
  readonly path: string;
  /** The vendor's differences from the common meaning of statuses. @default none */
  readonly errors?: ErrorTable | undefined;
  /** The vendor's name of a model. @default the part of its slug behind the slash */
  readonly nameOf?: ((model: ModelRow) => string) | undefined;
  /** Makes the body of the request. @param call with the vendor's name of the model. */
  request(call: NamedCall<Call>): object;
}

type NamedCall<Call> = Omit<Call, 'model'> & { readonly model: string };

/** How a vendor is asked for ranks. */
export interface RerankAtOptions extends Omit<Asked<ProviderRerank>, 'request'> {
  /** Makes the body of the request. @param call with the vendor's name of the model. @default in the form of Cohere */
  readonly request?: ((call: NamedCall<ProviderRerank>) => object) | undefined;
  /** The name under which a reply that is a bare list of ranks is read: `results`. @default a list is no reply */
  readonly listField?: 'results' | undefined;
}

/** How a vendor is asked for vectors. */
export interface EmbedAtOptions extends Asked<ProviderEmbed> {
  /** Reads the vectors of a reply: `data`, a list of `embedding` and, where the order is another, `index`. @default the form of OpenAI */
  readonly reply?: VectorsReply | undefined;
}

const counts = optional.object({
  prompt_tokens: optional.number,
  total_tokens: optional.number,
  search_units: optional.number,
  ...costFields,
});
const billed = optional.object({ search_units: optional.number, input_tokens: optional.number });
/** What is counted, at the places where vendors say so. */
const counted = z.object({
  id: optional.text,
  usage: counts,
  total_tokens: optional.number,
  meta: optional.object({ billed_units: billed }),
});

// A wrong entry makes the whole reply wrong: a list of ranks or vectors with holes is of no use.
const scores = { relevance_score: requiredNumber.nullish(), score: requiredNumber.nullish() };
const rank = z.object({ index: requiredNumber, ...scores });
const rerankReply = counted.extend({ results: z.array(rank).nullish(), data: z.array(rank).nullish() });

/**
 * Asks for ranks at a vendor in the form of Cohere's API, or of a form close to it: `results` or `data`, a list of `index` and `relevance_score` or `score`.
 * Reads the usual counts of search units and tokens, and a cost.
 */
export function rerankAt(
  connection: Connection,
  { request = inFormOfCohere, nameOf = modelName, ...asked }: RerankAtOptions,
): RerankPort['rerank'] {
  const ask = jsonEndpoint(connection, { ...asked, completeness: 'valid JSON', reply: rerankReply });
  return async (call, context) => {
    const { body, failure } = await ask(request({ ...call, model: nameOf(call.model) }), context);
    const list = body.results ?? body.data;
    if (list == null) throw failure({ detail: 'unexpected reply: no results' });
    const ranks = list.map(({ index, relevance_score, score }) => ({
      index,
      score: relevance_score ?? score ?? Number.NaN,
    }));
    return { ranks, cost: costOf(body), upstreamRequestId: body.id };
  };
}

function inFormOfCohere({ model, query, documents, topN }: NamedCall<ProviderRerank>): object {
  return { model, query, documents, top_n: topN };
}

/** A vector in a reply: its numbers are checked when all vectors are there, in slices. */
const vector = z.union([z.string(), z.custom<readonly number[]>(Array.isArray)]);
const listed: VectorsReply = z.object({
  data: z.array(z.object({ index: requiredNumber.nullish(), embedding: vector })),
});

/**
 * Asks for vectors at a vendor in the form of OpenAI's API. Some leave out the index of a vector: its place stands for it. Reads the usual counts of tokens,
 * and a cost.
 */
export function embedAt(
  connection: Connection,
  { request, nameOf = modelName, reply = listed, ...asked }: EmbedAtOptions,
): EmbedPort['embed'] {
  const both = z.intersection(counted, reply);
  const ask = jsonEndpoint(connection, { ...asked, completeness: 'valid JSON', reply: both });
  return async (call, context) => {
    const { body } = await ask(request({ ...call, model: nameOf(call.model) }), context);
    const embeddings = body.data.map(({ index, embedding }, place) => ({ index: index ?? place, vector: embedding }));
    return { embeddings, cost: costOf(body), upstreamRequestId: body.id };
  };
}

/** What the provider counts and bills; the total where a reply names no part. */
function costOf({ usage, meta, total_tokens }: z.output<typeof counted>): OutcomeCost {
  const units = meta?.billed_units;
  return outcomeCost(routedCost(usage), {
    searchUnits: units?.search_units ?? usage?.search_units,
    inputTokens: units?.input_tokens ?? usage?.total_tokens ?? usage?.prompt_tokens ?? total_tokens,
  });
}

/** A vector of length 1 in the same direction, as callers expect of a vector. Anything else is left as it is, for the check of vectors. */
export function unitVector(numbers: readonly number[]): readonly number[] {
  const isUsable = numbers.length <= MAX_VECTOR_LENGTH && numbers.every(Number.isFinite);
  const length = isUsable ? Math.hypot(...numbers) : 0;
  return length > 0 ? numbers.map((number) => number / length) : numbers;
}

/** A vendor that ranks documents or makes vectors, and answers no questions. */
export interface RetrievalVendor extends ProviderIdentity {
  readonly errors?: ErrorTable | undefined;
  /** Another host for some keys. Default: that of the settings. */
  readonly connect?: ((connection: Connection) => Connection) | undefined;
  readonly rerank?: Omit<RerankAtOptions, 'errors'> | undefined;
  readonly embed?: (Omit<EmbedAtOptions, 'errors'> & { readonly maxInputs: number }) | undefined;
}

/** Makes the factory of a vendor. */
export function retrievalProvider(vendor: RetrievalVendor): (settings: ProviderSettings) => Provider {
  const { errors = [], connect = (connection) => connection, rerank, embed, ...definition } = vendor;
  return defineProvider({
    ...definition,
    byName: (['rerank', 'embed'] as const).filter((port) => vendor[port] !== undefined),
    ports(given) {
      const connection = connect(given);
      return {
        rerank: rerank && rerankAt(connection, { ...rerank, errors }),
        embed: embed && { maxInputs: embed.maxInputs, embed: embedAt(connection, { ...embed, errors }) },
      };
    },
  });
}
