/** The definition of a metric, for any system of metrics. */
export interface MetricDefinition {
  /** A counter only grows, a gauge is read on demand, a histogram counts values by size. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** `s` for seconds, or the counted thing in braces, as in OpenTelemetry. */
  readonly unit: string;
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
  'searchgate.requests': {
    kind: 'counter',
    unit: '{request}',
    description: 'Calls that have ended, over HTTP and in process. reason is "none" for those without an error.',
    labels: ['endpoint', 'status', 'reason'],
  },
  'searchgate.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time from the beginning of a call to its end.',
    labels: ['endpoint', 'model'],
    buckets: REQUEST_SECONDS,
  },
  'searchgate.time_to_first_content': {
    kind: 'histogram',
    unit: 's',
    description: 'Time until the first part of a streamed answer was there.',
    labels: ['model'],
    buckets: REQUEST_SECONDS,
  },
  'searchgate.fields.ignored': {
    kind: 'counter',
    unit: '{field}',
    description: 'Fields of requests in the form of another service that neither that form nor this API has.',
    labels: ['endpoint'],
  },
  'searchgate.charged.usd': {
    kind: 'counter',
    unit: '{USD}',
    description: 'Charged to callers, in USD.',
    labels: ['model'],
  },
  'searchgate.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts at providers, by what became of them: answered, hedged, or the reason of the failure.',
    labels: ['provider', 'model', 'outcome'],
  },
  'searchgate.attempt.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time of an attempt at a provider.',
    labels: ['provider', 'model'],
    buckets: ATTEMPT_SECONDS,
  },
  'searchgate.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens that providers report. type is "input" or "output".',
    labels: ['provider', 'model', 'type'],
  },
  'searchgate.provider.pauses': {
    kind: 'counter',
    unit: '{pause}',
    description:
      'Pauses of a provider after failures. scope is "all", or "some_organizations" for a pause for one organization.',
    labels: ['provider', 'reason', 'scope'],
  },
  'searchgate.provider.limited': {
    kind: 'counter',
    unit: '{request}',
    description: 'Calls that found no slot at a provider: passed_over, waited or given_up, with the reason.',
    labels: ['provider', 'reason', 'outcome'],
  },
  'searchgate.settle.failures': {
    kind: 'counter',
    unit: '{failure}',
    description: 'Tries to write a charge or a release that failed. What is not given up is tried again.',
    labels: [],
  },
  'searchgate.settle.given_up': {
    kind: 'counter',
    unit: '{hold}',
    description: 'Charges and releases that were given up. Charges have to be recorded by hand.',
    labels: [],
  },
  'searchgate.idempotency.failures': {
    kind: 'counter',
    unit: '{failure}',
    description: 'Tries to end the claim of an idempotency key that failed. What is not given up is tried again.',
    labels: [],
  },
  'searchgate.idempotency.given_up': {
    kind: 'counter',
    unit: '{claim}',
    description: 'Claims of idempotency keys that were given up. A repeated call may be charged twice.',
    labels: [],
  },
  'searchgate.cost.warnings': {
    kind: 'counter',
    unit: '{answer}',
    description: 'Answers whose cost was unknown, a mismatch or implausible.',
    labels: ['model', 'kind'],
  },
  'searchgate.citations.dropped': {
    kind: 'counter',
    unit: '{citation}',
    description:
      'Citations that were not delivered, since their pages are outside of the domains that a caller asked for.',
    labels: ['model'],
  },
  'searchgate.holds.expired': {
    kind: 'counter',
    unit: '{hold}',
    description: 'Holds of dead processes that were ended.',
    labels: [],
  },
  'searchgate.requests.unlogged': {
    kind: 'counter',
    unit: '{request}',
    description: 'Calls that the request log has lost, because it failed or could not keep up.',
    labels: [],
  },
  'searchgate.events.dropped': {
    kind: 'counter',
    unit: '{event}',
    description: 'Events that were thrown away, and are counted nowhere else.',
    labels: ['type'],
  },
  'searchgate.requests.in_flight': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Calls under way.',
    labels: [],
  },
  'searchgate.holds.in_flight': {
    kind: 'gauge',
    unit: '{hold}',
    description: 'Calls under way for which money is held.',
    labels: [],
  },
  'searchgate.settles.waiting': {
    kind: 'gauge',
    unit: '{hold}',
    description: 'Charges and releases the ledger could not write yet.',
    labels: [],
  },
  'searchgate.ledger.up': {
    kind: 'gauge',
    unit: '',
    description: '1 while the store answers, otherwise 0. store is "ledger" or "key_store".',
    labels: ['store'],
  },
  'searchgate.provider.paused': {
    kind: 'gauge',
    unit: '',
    description:
      '1 while a provider is paused, otherwise 0. scope is "all", until it answers again, or "some_organizations", for pauses by their own failures.',
    labels: ['provider', 'scope'],
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** The labels of a metric, each with its value. */
export type MetricLabels<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;
