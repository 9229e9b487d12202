import * as core from '@searchgate/core';
import * as kit from '@searchgate/core/provider-kit';
import { messageOf } from '../problems.js';
import { ask, type PlannedCall } from './planned-calls.js';

/** A key that no vendor has given to anyone. */
const NO_KEY = 'searchgate-verify-wrong-key';

/** A request to a vendor with its reply: `status` is `null` where none came, `text` is the body as far as it came. */
export type Exchange = { readonly request: kit.UpstreamRequest; status: number | null; text: string };

type Outcomes = kit.AnswerOutcome & kit.SearchOutcome & kit.ExtractOutcome & kit.RerankOutcome & kit.EmbedOutcome;
/** What an adapter made of a reply, before the gateway drops anything. */
export type Outcome = Partial<Omit<Outcomes, 'cost' | 'upstreamRequestId'>> & Pick<Outcomes, 'cost'>;

/** What is seen of a call. @param limit `0` where only the quote is wanted, and nothing may be sent. */
const newLog = (limit: '0' | null) => ({
  limit,
  exchanges: [] as Exchange[],
  outcomes: [] as Outcome[],
  events: [] as core.GatewayEvent[],
});
type Log = ReturnType<typeof newLog>;

/** What the gateway is made of. `models`: the changes of the file; `aliases` and `groups` may be parts of models; `signal` ends waiting for a call; `elapsedMs` is for durations. */
interface Parts extends Pick<core.GatewayOptions, 'providers' | 'models' | 'aliases' | 'groups'> {
  readonly signal: AbortSignal;
  elapsedMs(): number;
  /** Whether a wrong key is sent in place of the right ones. */
  readonly isRefused: boolean;
}

export type Verifier = ReturnType<typeof createVerifier>;
/** What was seen of a call. `reason` is that of a refusal, and `null` for an answer; `pieces` are those of a stream, and `null` for a whole answer. */
export type Observation = Awaited<ReturnType<Verifier['observe']>>;

/**
 * Makes calls, one at a time, through a gateway with a ledger in memory: the operator's own is not touched.
 *
 * @throws ConfigurationError for what the service would refuse too.
 */
export function createVerifier({ providers, models, aliases, groups, signal, elapsedMs, isRefused }: Parts) {
  let log = newLog(null);
  let finish: () => void = nothing;
  let calls = 0;
  const ledger = core.memoryLedger();
  const gateway = core.createGateway({
    providers: providers.map((provider) => observed(provider, isRefused, () => log)),
    ledger,
    apiKeys: core.memoryApiKeys([]),
    models,
    aliases,
    groups,
    // Each reply is looked at, and no failure may keep the next model from being called.
    maxAttempts: 1,
    providerFailureThreshold: 1_000_000,
    drainTimeoutMs: 1_000,
    onEvent(event) {
      log.events.push(event);
      if (event.type === 'request_finished') finish();
    },
    logger: { warn: nothing, error: nothing },
  });
  async function attempt(call: PlannedCall, limit: '0' | null) {
    const seen = (log = newLog(limit));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    // A key for each call, by which its entries are found.
    const keyId = `call-${(calls += 1)}`;
    const apiKey = { organizationId: 'verify', operatorPays: true, id: keyId, limit };
    const startMs = elapsedMs();
    const [pieces, error] = await ask(gateway, call, { apiKey, signal }).then(
      (count) => [count, undefined] as const,
      (failure: unknown) => [null, failure] as const,
    );
    const durationMs = elapsedMs() - startMs;
    // The last event of a call comes after its answer; a call that was cut off goes on.
    if (!signal.aborted) await finished;
    return { error, ...seen, durationMs, pieces, entries: (await ledger.entries({ keyId })).entries };
  }
  return {
    gateway,
    /** The price of a call by its row, in nanodollars. Nothing is sent. */
    async quote(call: PlannedCall): Promise<core.NanoUsd> {
      const { error } = await attempt(call, '0');
      return core.isRequestError(error) && error.reason === 'key_limit_reached' ? (error.details?.required ?? 0n) : 0n;
    },
    /** Makes a call. Never rejects. */
    async observe(call: PlannedCall) {
      const { error, ...seen } = await attempt(call, null);
      const failure = error === undefined ? null : messageOf(error);
      return { call, ...seen, reason: core.isRequestError(error) ? error.reason : failure };
    },
  };
}

type Ask<Call, Rest extends unknown[], T> = (call: Call, context: kit.CallContext, ...rest: Rest) => Promise<T>;

/** The same provider, which writes down what it sends and gets. */
function observed(provider: kit.Provider, isRefused: boolean, logNow: () => Log): kit.Provider {
  function seen<Call, Rest extends unknown[], T extends Outcome>(adapt: Ask<Call, Rest, T>): Ask<Call, Rest, T> {
    return async (call, context, ...rest) => {
      const { limit, exchanges, outcomes } = logNow();
      if (limit !== null) throw new kit.UpstreamError('upstream_unreachable', { phase: 'connect' });
      const own: kit.CallContext = {
        upstream: recording(context.upstream, exchanges),
        keyName: context.keyName,
        apiKey: isRefused ? NO_KEY : undefined,
        ...(context.run && { run: context.run.bind(context) }),
        get signal() {
          return context.signal;
        },
      };
      const outcome = await adapt(call, own, ...rest);
      outcomes.push(outcome);
      return outcome;
    };
  }
  const { answer, search, extract, rerank, embed } = provider;
  return {
    ...provider,
    ...(isRefused && { keys: undefined }),
    ...(answer && { answer: { answer: seen(answer.answer), ...(answer.stream && { stream: seen(answer.stream) }) } }),
    ...(search && { search: { ...search, search: seen(search.search) } }),
    ...(extract && { extract: { ...extract, extract: seen(extract.extract) } }),
    ...(rerank && { rerank: { ...rerank, rerank: seen(rerank.rerank) } }),
    ...(embed && { embed: { ...embed, embed: seen(embed.embed) } }),
  };
}

function recording(client: kit.UpstreamClient, exchanges: Exchange[]): kit.UpstreamClient {
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

function nothing(): undefined {}
