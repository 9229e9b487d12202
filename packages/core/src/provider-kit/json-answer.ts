import type { z } from 'zod';
import type { MarkerForm } from '../text/rewriter.js';
import { assertComplete } from './finish-reason.js';
import { type JsonEndpointOptions, type JsonReply, jsonEndpoint } from './json-endpoint.js';
import { liveParts } from './live-parts.js';
import type { AnswerAdapter, AnswerOutcome, CallContext, LiveAnswer, ProviderQuestion } from './provider.js';
import type { Connection } from './provider-settings.js';

/** The endpoint, and the provider's own request and reply. */
export interface JsonAnswerOptions<S extends z.ZodType> extends JsonEndpointOptions<S>, MarkerForm {
  /**
   * Makes the body of the request, without the `streamField`.
   *
   * @param isLive whether the caller wants a stream.
   */
  readonly request: (call: ProviderQuestion, isLive: boolean) => object;
  /**
   * Reads a whole reply, or the reply that a stream was reduced to.
   *
   * @throws UpstreamError for a reply that is no usable answer: the error that its `failure` makes.
   */
  readonly outcome: (reply: JsonReply<z.output<S>>, call: ProviderQuestion) => AnswerOutcome;
}

/**
 * An adapter that sends one request to one URL of a provider, and answers whole or as a stream. Its `stream` hands over the parts that `reduce` reads,
 * through `liveParts`. Adapters that send several requests use `jsonEndpoint`.
 */
export function jsonAnswer<S extends z.ZodType>(
  connection: Connection,
  options: JsonAnswerOptions<S>,
): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, options);

  async function respond(call: ProviderQuestion, context: CallContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const request = options.request(call, live !== undefined);
    const reply = await ask(request, context, live && liveParts(live, options));
    const outcome = options.outcome(reply, call);
    // In case `outcome` did not check.
    if (reply.finish !== 'complete') assertComplete(reply, outcome.cost);
    return outcome;
  }

  return { answer: respond, stream: respond };
}
