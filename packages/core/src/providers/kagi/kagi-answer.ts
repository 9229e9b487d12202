import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalList, optionalText } from '../../provider-kit/reply-fields.js';
import { withoutHighlights } from '../../text/plain-text.js';
import { KAGI_ERRORS } from './kagi-errors.js';

export interface KagiOptions {
  readonly authScheme: 'Bot' | 'Bearer';
  readonly cache: boolean;
}

const fastGptReply = z.object({
  /** `trace` is the id of Kagi's newer API. */
  meta: z.object({ id: optionalText, trace: optionalText }).nullish().catch(null),
  data: z.object({
    output: z.string(),
    references: optionalList(z.object({ url: optionalText, title: optionalText, snippet: optionalText })),
  }),
});

/**
 * Asks `POST /fastgpt` (as documented 2026-08-14). It always searches: `web_search` cannot be switched off and is refused when it is. Markers
 * count the references, sometimes beyond their end.
 */
export function kagiAnswer(connection: Connection, { authScheme, cache }: KagiOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/fastgpt',
    authorize: (apiKey) => ({ authorization: `${authScheme} ${apiKey}` }),
    errors: KAGI_ERRORS,
    reply: fastGptReply,
    evidence: 'closed object',
  });
  return {
    async answer({ query }, context) {
      const { body } = await ask({ query, cache }, context);
      const { output, references } = body.data;
      return composeAnswer({
        text: output,
        sources: references.map(({ url, title, snippet }) => ({
          url,
          title: withoutHighlights(title ?? ''),
          snippet: withoutHighlights(snippet ?? ''),
        })),
        cost: {},
        upstreamRequestId: body.meta?.id ?? body.meta?.trace,
      });
    },
  };
}
