/** The definition of a metric, for any system of metrics. */
export interface MetricDefinition {
  /** A counter only grows, a gauge is read on demand, a histogram counts values by size. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** `s` for seconds, or the counted thing in braces, as in OpenTelemetry. */
  readonly unit: string;
  /** One sentence for people, shown by systems of metrics. */
  readonly description: string;
  /** Each label has few values, because callers cannot choose them. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[] | undefined;
}

/** From the fast list of models to the slowest answers. */
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];
const ATTEMPT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Every metric of a gateway, by its name in OpenTelemetry. */
export const METRICS = {
  'searchgate.requests': counter(
    '{request}',
    'Calls that have ended, over HTTP and in process. reason is "none" for those without an error.',
    ['endpoint', 'status', 'reason'],
  ),
  'searchgate.request.duration': histogram(REQUEST_SECONDS, 'Time from the beginning of a call to its end.', [
    'endpoint',
    'model',
  ]),
  'searchgate.time_to_first_content': histogram(
    REQUEST_SECONDS,
    'Time until the first part of a streamed answer was there.',
    ['model'],
  ),
  'searchgate.fields.ignored': counter(
    '{field}',
    'Fields of requests in the form of another service that neither that form nor this API has.',
    ['endpoint'],
  ),
  'searchgate.charged.usd': counter('{USD}', 'Charged to callers, in USD.', ['model']),
  'searchgate.attempts': counter(
    '{attempt}',
    'Attempts at providers, by what became of them: answered, hedged, the reason of the failure, or own_key_failed for a key of an organization.',
    ['provider', 'model', 'outcome'],
  ),
  'searchgate.attempt.duration': histogram(ATTEMPT_SECONDS, 'Time of an attempt at a provider.', ['provider', 'model']),
  'searchgate.calls.rescued': counter(
    '{request}',
    'Answered calls whose first attempt, at the provider "from", gave no answer: a fallback, hedge or retry at "to" did.',
    ['from', 'to', 'reason'],
  ),
  'searchgate.tokens': counter('{token}', 'Tokens that providers report. type is "input" or "output".', [
    'provider',
    'model',
    'type',
  ]),
  'searchgate.provider.pauses': counter(
    '{pause}',
    'Pauses of a provider after failures. scope is "all", or "some_organizations" for a pause for one organization.',
    ['provider', 'reason', 'scope'],
  ),
  'searchgate.provider.key_failures': counter(
    '{failure}',
    'How often one of several keys of a provider was left out. state is "rejected", "out_of_credit" or "rate_limited".',
    ['provider', 'key', 'state'],
  ),
  'searchgate.provider.slots_refused': counter(
    '{request}',
    'Calls that found no slot at a provider: passed_over, waited or given_up, with the reason.',
    ['provider', 'reason', 'outcome'],
  ),
  'searchgate.settle.failures': counter(
    '{failure}',
    'Tries to write a charge or a release that failed. What is not given up is tried again.',
    [],
  ),
  'searchgate.settle.given_up': counter(
    '{hold}',
    'Charges and releases that were given up. Charges have to be recorded by hand.',
    [],
  ),
  'searchgate.idempotency.failures': counter(
    '{failure}',
    'Tries to end the claim of an idempotency key that failed. What is not given up is tried again.',
    [],
  ),
  'searchgate.idempotency.given_up': counter(
    '{claim}',
    'Claims of idempotency keys that were given up. A repeated call may be charged twice.',
    [],
  ),
  'searchgate.cost.warnings': counter('{answer}', 'Answers whose cost was unknown, a mismatch or implausible.', [
    'model',
    'kind',
  ]),
  'searchgate.citations.dropped': counter(
    '{citation}',
    'Citations that were not delivered, since their pages are outside of the domains that a caller asked for.',
    ['model'],
  ),
  'searchgate.holds.expired': counter('{hold}', 'Holds of dead processes that were ended.', []),
  'searchgate.request_log.dropped': counter(
    '{request}',
    'Calls, or their questions and answers, that the request log has lost, because it failed or could not keep up.',
    [],
  ),
  'searchgate.events.dropped': counter('{event}', 'Events that were thrown away, and are counted nowhere else.', [
    'type',
  ]),
  'searchgate.requests.in_flight': gauge('{request}', 'Calls under way.', []),
  'searchgate.holds.in_flight': gauge('{hold}', 'Calls under way for which money is held.', []),
  'searchgate.settles.waiting': gauge('{hold}', 'Charges and releases the ledger could not write yet.', []),
  'searchgate.attempt.oldest': gauge('s', 'Age of the oldest attempt under way. Absent for models without one.', [
    'model',
  ]),
  'searchgate.ledger.up': gauge(
    '',
    '1 while the store can be written, otherwise 0. store is "ledger", "key_store", "idempotency" or "request_log".',
    ['store'],
  ),
  'searchgate.provider.paused': gauge(
    '',
    '1 while a provider is paused, otherwise 0. scope is "all", until it answers again, or "some_organizations", for pauses by their own failures.',
    ['provider', 'scope'],
  ),
  'searchgate.provider.key_state': gauge(
    '',
    'Always 1. state is "serving", or why the key is left out: "rejected", "out_of_credit" or "rate_limited".',
    ['provider', 'key', 'state'],
  ),
} satisfies Record<string, MetricDefinition>;

/** The names of all metrics. */
export type MetricName = keyof typeof METRICS;

/** The labels of a metric, each with its value. */
export type MetricLabels<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;

function counter<const Labels extends readonly string[]>(unit: string, description: string, labels: Labels) {
  return { kind: 'counter', unit, description, labels } as const;
}

function gauge<const Labels extends readonly string[]>(unit: string, description: string, labels: Labels) {
  return { kind: 'gauge', unit, description, labels } as const;
}

function histogram<const Labels extends readonly string[]>(
  buckets: readonly number[],
  description: string,
  labels: Labels,
) {
  return { kind: 'histogram', unit: 's', description, labels, buckets } as const;
}
