import type { z } from 'zod';
import type { MarkerForm } from '../text/rewriter.js';
import { assertComplete } from './finish-reason.js';
import { type JsonEndpointOptions, type JsonReply, jsonEndpoint } from './json-endpoint.js';
import { liveParts } from './live-parts.js';
import type { AnswerAdapter, AnswerCall, AnswerContext, AnswerOutcome, LiveAnswer } from './provider.js';
import type { Connection } from './provider-settings.js';

/** The endpoint itself, and what differs from provider to provider. */
export interface JsonAnswerOptions<S extends z.ZodType> extends JsonEndpointOptions<S>, MarkerForm {
  /**
   * The body of the request that asks this question, without the `streamField`.
   *
   * @param isLive whether the answer is wanted while it comes.
   */
  readonly request: (call: AnswerCall, isLive: boolean) => object;
  /**
   * Reads a whole reply, also one that a stream was reduced to.
   *
   * @throws UpstreamError for a reply that is no usable answer: what its `failure` makes.
   */
  readonly outcome: (reply: JsonReply<z.output<S>>, call: AnswerCall) => AnswerOutcome;
}

/**
 * An adapter that asks one address of a provider once, and answers whole or as a stream. Its `stream` hands over what `reduce` reads, by `liveParts`.
 * For adapters that make several requests there is `jsonEndpoint`.
 */
export function jsonAnswer<S extends z.ZodType>(
  connection: Connection,
  options: JsonAnswerOptions<S>,
): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, options);

  async function respond(call: AnswerCall, context: AnswerContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const request = options.request(call, live !== undefined);
    const reply = await ask(request, context, live && liveParts(live, options));
    const outcome = options.outcome(reply, call);
    // Where `outcome` did not look.
    if (reply.finish !== 'complete') assertComplete(reply, outcome.cost);
    return outcome;
  }

  return { answer: respond, stream: respond };
}
