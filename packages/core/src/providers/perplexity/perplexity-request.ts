import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type { AnswerCall, AnswerContext } from '../../provider-kit/provider.js';
import { SONAR } from './perplexity-models.js';
import { webSearchTool } from './perplexity-search.js';

type TierField = 'effort' | 'preset';

/** How levels of effort are asked for. */
export interface TierOptions {
  /** `undefined`: the name that the API takes. */
  readonly tierField?: TierField | undefined;
  readonly tierModel: string | null;
}

/**
 * Sends questions to the Agent API. Its documents call a level of effort `effort` (docs.perplexity.ai/docs/agent-api/effort, read 2026-11-22);
 * its SDKs up to 2026-08 say `preset`. The API refuses fields it does not know with a 400. A 400 that names the field is followed by one more
 * request with the other name, in the same attempt and within its deadline. The name that worked is used from then on.
 *
 * @param ask sends one body, for a stream where there is someone to hand it to.
 */
export function perplexityRequests<R>(
  ask: (body: object, context: AnswerContext, live?: LiveParts) => Promise<R>,
  { tierField, tierModel }: TierOptions,
) {
  let known: TierField = tierField ?? 'effort';
  return async (call: AnswerCall, context: AnswerContext, live: LiveParts | undefined): Promise<R> => {
    const { slug } = call.model;
    const common = commonBody(call);
    if (slug === SONAR) return ask({ model: SONAR, ...common, ...forcedSearch(call) }, context, live);
    const field = known;
    const level = slug.slice('perplexity/'.length);
    const model = tierModel === null ? {} : { model: tierModel };
    const askAs = (name: TierField) => ask({ [name]: level, ...model, ...common }, context, live);
    try {
      return await askAs(field);
    } catch (error) {
      if (tierField !== undefined || !isRefused(field, error)) throw error;
      const other = field === 'effort' ? 'preset' : 'effort';
      const reply = await askAs(other);
      known = other;
      return reply;
    }
  };
}

function isRefused(field: TierField, error: unknown): boolean {
  return isUpstreamError(error) && error.status === 400 && new RegExp(`\\b${field}\\b`).test(error.detail);
}

/** The API refuses fields it does not know, so nothing is sent that is not needed. */
function commonBody({ query }: AnswerCall): object {
  return { input: query, store: false };
}

/** A bare model does not search, and one that is merely offered the tool may not use it. */
function forcedSearch({ search }: AnswerCall): object {
  return { tools: [webSearchTool(search)], tool_choice: { type: 'web_search' } };
}
