import {
  type AnswerOutcome,
  type CallContext,
  type EmbedOutcome,
  type ExtractOutcome,
  type Provider,
  type RerankOutcome,
  type SearchOutcome,
  type UpstreamClient,
  UpstreamError,
  type UpstreamRequest,
} from '@searchgate/core/provider-kit';

/** A request to a vendor with its reply. */
export interface Exchange {
  readonly request: UpstreamRequest;
  /** `null` where no reply came. */
  status: number | null;
  /** The body, as far as it came. */
  text: string;
}

/** What an adapter made of a reply, before the gateway drops anything. */
export type Outcome = AnswerOutcome | SearchOutcome | ExtractOutcome | RerankOutcome | EmbedOutcome;

/** The exchanges of one call at a time. */
export interface CallLog {
  /** Whether no request may be sent, because only the quote is wanted. */
  isQuoting: boolean;
  exchanges: Exchange[];
  outcomes: Outcome[];
}

type Ask<Call, Rest extends unknown[], T> = (call: Call, context: CallContext, ...rest: Rest) => Promise<T>;

/** The same provider, which writes what it sends and gets into a log. */
export function observed(provider: Provider, log: CallLog): Provider {
  function seen<Call, Rest extends unknown[], T extends Outcome>(ask: Ask<Call, Rest, T>): Ask<Call, Rest, T> {
    return async (call, context, ...rest) => {
      if (log.isQuoting) throw new UpstreamError('upstream_unreachable', { phase: 'connect' });
      const own: CallContext = {
        upstream: recording(context.upstream, log.exchanges),
        keyName: context.keyName,
        get signal() {
          return context.signal;
        },
      };
      const outcome = await ask(call, own, ...rest);
      log.outcomes.push(outcome);
      return outcome;
    };
  }
  const { answer, search, extract, rerank, embed } = provider;
  return {
    ...provider,
    ...(answer && { answer: { answer: seen(answer.answer), ...(answer.stream && { stream: seen(answer.stream) }) } }),
    ...(search && { search: { ...search, search: seen(search.search) } }),
    ...(extract && { extract: { ...extract, extract: seen(extract.extract) } }),
    ...(rerank && { rerank: { ...rerank, rerank: seen(rerank.rerank) } }),
    ...(embed && { embed: { ...embed, embed: seen(embed.embed) } }),
  };
}

function recording(client: UpstreamClient, exchanges: Exchange[]): UpstreamClient {
  return {
    async send(request) {
      const exchange: Exchange = { request, status: null, text: '' };
      exchanges.push(exchange);
      const { onText } = request;
      const listen = (piece: string) => {
        exchange.text += piece;
        return onText?.(piece) ?? true;
      };
      const response = await client.send(onText ? { ...request, onText: listen } : request);
      exchange.status = response.status;
      exchange.text += response.text;
      return response;
    },
  };
}
