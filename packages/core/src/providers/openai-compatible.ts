import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { byPort } from '../catalog/categories.js';
import type { Category, ModelRow } from '../catalog/model-entry.js';
import { messagesOf, modelName } from '../provider-kit/call-fields.js';
import { chatCompletion, chatFinish, readChatCompletion } from '../provider-kit/chat-completion.js';
import type { ErrorTable } from '../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../provider-kit/compose-answer.js';
import { textLike } from '../provider-kit/define-provider.js';
import { checkRow, type ExtraModel, extraModelShape, rowOf } from '../provider-kit/extra-models.js';
import { jsonAnswer } from '../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, KeylessSettings, Provider, RerankPort } from '../provider-kit/provider.js';
import { commonSettings, parseProviderSettings } from '../provider-kit/provider-settings.js';
import { embedAt, rerankAt } from '../provider-kit/ranks-and-vectors.js';

// Facts of Text Embeddings Inference are of its router (huggingface/text-embeddings-inference@009f067, router/src/http/server.rs), read on 2026-11-29.

const ID = /^[a-z0-9][a-z0-9-]*$/;
/** What the forms below have no field for. */
const UNSERVED = ['streaming', 'json_schema', 'input_type'];
/** An inference that failed in Text Embeddings Inference. */
const ERRORS: ErrorTable = [{ status: 424, reason: 'upstream_error' }];
/** The most texts of a request that Text Embeddings Inference takes by default (`--max-client-batch-size`; medium confidence). */
const MAX_TEXTS = 32;

/** A model of the host's own service. */
export interface OwnModel extends Omit<ExtraModel, 'category' | 'price'> {
  /** The name of the model at the service. Default: the part of the slug behind the slash. */
  readonly model?: string | undefined;
  /** As for {@link ExtraModel.price}. Default "0": the model is free. */
  readonly price?: ExtraModel['price'] | undefined;
}

/** A model that sorts documents. */
export interface OwnRerankModel extends OwnModel {
  /** `cohere`: `{ model, query, documents, top_n }`; `tei`: `{ query, texts }`, as Text Embeddings Inference takes. Default `cohere`. */
  readonly form?: 'cohere' | 'tei' | undefined;
}

/** The settings of `openAiCompatible()`. */
export interface OpenAiCompatibleSettings extends Omit<KeylessSettings, 'models' | 'extraModels'> {
  /** The first part of the slugs: lower-case letters, digits and dashes. */
  readonly id: string;
  /** As people write it. Default: the id. */
  readonly name?: string | undefined;
  /** Models that search and answer, asked at `/chat/completions`. An answer without sources fails. Default: none. */
  readonly answer?: readonly OwnModel[] | undefined;
  /** Models asked at `/embeddings`; each has `dimensions`. Default: none. */
  readonly embeddings?: readonly OwnModel[] | undefined;
  /** Models asked at `/rerank`. Default: none. */
  readonly rerank?: readonly OwnRerankModel[] | undefined;
}

const shape = {
  ...extraModelShape,
  price: extraModelShape.price.default('0'),
  model: z.string('a name').min(1, 'a name').optional(),
};

/** The rows of a category. */
function rowsOf<S extends z.ZodRawShape>(id: string, category: Category, more: S) {
  const home = { id, category, unserved: UNSERVED };
  const row = z
    .strictObject({ ...shape, ...more }, 'an object with slug')
    .superRefine((given, context) => checkRow(given as z.output<z.ZodObject<typeof shape>>, home, context));
  return z.array(row, 'an array of models').default([]);
}

const inLists = z.undefined('nothing: the models are in answer, embeddings and rerank').optional();

const settingsSchema = (id: string) =>
  z.strictObject({
    ...commonSettings(null, {}, { keyless: true }),
    models: inLists,
    extraModels: inLists.transform(() => byPort(() => [])),
    id: textLike(ID, 'lower-case letters, digits and dashes'),
    name: z.string('a name').min(1, 'a name').default(id),
    answer: rowsOf(id, 'answer', {}),
    embeddings: rowsOf(id, 'embedding', {}),
    rerank: rowsOf(id, 'rerank', { form: z.enum(['cohere', 'tei'], '"cohere" or "tei"').optional() }),
  });

/**
 * A service of the host, or any vendor, in the form of OpenAI's API: vLLM, Infinity, Text Embeddings Inference, Ollama, LM Studio, Together and others.
 * `baseUrl` is what stands before `/embeddings`: it ends in `/v1` for most, and has no path for Text Embeddings Inference. No key is needed.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function openAiCompatible(settings: OpenAiCompatibleSettings): Provider {
  const { id: given = '' } = (settings as Partial<OpenAiCompatibleSettings> | undefined) ?? {};
  const root = ID.test(given) ? given : 'openAiCompatible';
  const { common, connection, options } = parseProviderSettings(settingsSchema(root), settings, root);
  const { id, name, answer, embeddings, rerank } = options;
  const all = [...answer, ...embeddings, ...rerank];
  const expected = 'a model in answer, embeddings or rerank';
  if (all.length === 0) throw new ConfigurationError([{ path: id, found: 'no model', expected }]);
  const names = new Map(all.map(({ slug, model }) => [slug, model]));
  const nameOf = (model: ModelRow) => names.get(model.slug) ?? modelName(model);
  const embed = embedAt(connection, {
    path: '/embeddings',
    nameOf,
    errors: ERRORS,
    request: ({ model, inputs, dimensions }) => ({ model, input: inputs, dimensions }),
  });
  const ofTei = new Set(rerank.filter(({ form }) => form === 'tei').map(({ slug }) => slug));
  const models = (rows: typeof answer, category: Category) => rows.map((row) => rowOf(row, { id, category }));
  return {
    id,
    name,
    models: models(answer, 'answer'),
    ...common,
    ...(answer.length > 0 && { answer: chatAnswer(connection, nameOf) }),
    ...(rerank.length > 0 && {
      rerank: { models: models(rerank, 'rerank'), rerank: ranksOf(connection, nameOf, ofTei) },
    }),
    ...(embeddings.length > 0 && { embed: { models: models(embeddings, 'embedding'), maxInputs: MAX_TEXTS, embed } }),
  };
}

type NameOf = (model: ModelRow) => string;

function ranksOf(connection: Connection, nameOf: NameOf, ofTei: ReadonlySet<string>): RerankPort['rerank'] {
  const asked = { path: '/rerank', nameOf, errors: ERRORS };
  const cohere = rerankAt(connection, {
    ...asked,
    request: ({ model, query, documents, topN }) => ({ model, query, documents, top_n: topN }),
  });
  const tei = rerankAt(connection, {
    ...asked,
    listField: 'results',
    // A server has one model. Texts that are too long are refused, not cut without a word.
    request: ({ query, documents }) => ({ query, texts: documents, truncate: false }),
  });
  return (call, context) => (ofTei.has(call.model.slug) ? tei : cohere)(call, context);
}

/** Asks a model that searches by itself. Its pages are in `search_results`, `citations` or the annotations of the message. */
function chatAnswer(connection: Connection, nameOf: NameOf): AnswerAdapter {
  return jsonAnswer(connection, {
    path: '/chat/completions',
    reply: chatCompletion,
    completeness: chatFinish,
    request: (call) => ({ model: nameOf(call.model), messages: messagesOf(call) }),
    outcome({ body, finish, failure }) {
      const { text, citations, searchResults, annotations, usage } = readChatCompletion(body);
      const cost = outcomeCost(undefined, usage);
      assertComplete({ finish, failure }, cost);
      const sources = [searchResults, citations, annotations].find((pages) => pages !== null && pages.length > 0) ?? [];
      assertSearched(sources.length > 0, failure, cost);
      return composeAnswer({ text, sources, cost, upstreamRequestId: body.id, servedModel: body.model });
    },
  });
}
