import { z } from 'zod';
import type { JsonFormat } from '../../base/json-format.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { anyText, optional, textFields } from '../../provider-kit/reply-fields.js';
import { LINKUP, linkupExtractPort, linkupSearch, linkupSearchPort } from './linkup-ports.js';
import rows from './models.json' with { type: 'json' };

/** Linkup's name of the depth. */
function depthOf({ slug }: ModelRow): string {
  return slug === 'linkup/answer' ? 'standard' : slug.replace('linkup/answer-', '');
}

/** All fields of a reply. Linkup sends no id, no usage and no cost. */
const sources = optional.list(z.object(textFields('url', 'name', 'snippet', 'content')));
const sourcedAnswer = z.object({ answer: z.string(), sources });
/** A reply in JSON with its sources (linkup-sdk 3.2.7, 2026-08-24). */
const structuredAnswer = z
  .object({ data: anyText, sources })
  .transform(({ data, ...reply }) => ({ answer: data, ...reply }));

/**
 * Asks `POST /search` for a sourced answer (as documented 2026-11-20). Linkup always searches.
 */
function linkupAnswer(connection: Connection, { inlineCitations, maxResults }: Partial<LinkupSettings>): AnswerAdapter {
  const reply = z.union([sourcedAnswer, structuredAnswer]);
  const ask = jsonEndpoint(connection, { ...LINKUP, path: '/search', reply, completeness: 'valid JSON' });
  return {
    async answer({ model, query, search, responseFormat }, context) {
      const question = { q: query, depth: depthOf(model), ...outputOf(responseFormat, inlineCitations), maxResults };
      const { body } = await ask({ ...question, ...(search && linkupSearch(search)) }, context);
      const pages = body.sources.map((page) => ({ ...page, title: page.name, snippet: page.snippet ?? page.content }));
      return composeAnswer({ text: body.answer, json: responseFormat && body.answer, sources: pages, cost: {} });
    },
  };
}

/** Linkup takes the schema as text, and no inline citations beside it (linkup-sdk 3.2.7, read 2026-11-28). */
function outputOf(format: JsonFormat | undefined, includeInlineCitations = false): object {
  if (format === undefined) return { outputType: 'sourcedAnswer', includeInlineCitations };
  return { outputType: 'structured', structuredOutputSchema: JSON.stringify(format.schema), includeSources: true };
}

/** The settings of `linkup()`. */
export interface LinkupSettings extends ProviderSettings {
  /**
   * Asks Linkup for citation markers in the text. Numbers in brackets become `[n]`. The form of Linkup's markers is not documented (2026-11-20), so try
   * the option with your account first. Default `false`.
   */
  readonly inlineCitations?: boolean | undefined;
  /** The maximum number of sources of an answer. Default: Linkup's choice. */
  readonly maxResults?: number | undefined;
}

/**
 * Linkup (linkup.so). Its rate limit holds for the whole organization behind a key: 10 searches a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const linkup: (settings: LinkupSettings) => Provider = defineProvider({
  id: 'linkup',
  name: 'Linkup',
  baseUrl: 'https://api.linkup.so/v1',
  models: rows,
  byName: ['search'],
  settings: {
    inlineCitations: z.boolean('true or false').default(false),
    maxResults: z.int('a whole number').min(1, 'at least 1').optional(),
  },
  ports: (connection, options) => ({
    answer: linkupAnswer(connection, options),
    search: linkupSearchPort(connection),
    extract: linkupExtractPort(connection),
  }),
});
