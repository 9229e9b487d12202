import type { EventListener, GatewayEvent, RequestFinished } from '../base/events/events.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import { isOfKey } from '../limits/key-ring.js';
import type { GatewayStatus } from './gateway-status.js';
import type { MetricLabels, MetricName } from './metric-table.js';

/** The methods of a gateway that metrics need. */
export interface MeteredGateway {
  /** Listens to all events. @returns a function that ends it. */
  on(listener: EventListener): () => void;
  /** The state of the gateway, for gauges. */
  status(): GatewayStatus;
  /** Asks the stores whether they answer, before gauges are read. */
  checkStores?(): Promise<unknown>;
  /** The callable models: other slugs are no label. */
  models(filter: { readonly callable: true }): readonly { readonly id: string }[];
}

/** Adds to a counter, adds a value to a histogram, or sets a gauge. */
export type RecordMetric = <Name extends MetricName>(name: Name, value: number, labels: MetricLabels<Name>) => void;

/** Records every event of a gateway in counters and histograms. @returns a function that stops the recording. */
export function recordMetrics(gateway: MeteredGateway, record: RecordMetric): () => void {
  // Only configured models become labels: the number of names that callers send is unlimited.
  const known = new Set(gateway.models({ callable: true }).map(({ id }) => id));
  const modelOf: ModelOf = (slug) => (known.has(slug) ? slug : 'unknown');
  const countRescue = rescueCounter(record);
  return gateway.on((event) => {
    countRescue(event);
    const recorder = RECORDERS[event.type] as Recorder | undefined;
    recorder?.(event, record, modelOf);
  });
}

/** Records the current status of a gateway in gauges, and lets its stores be probed for the next time. */
export function recordGauges(gateway: Pick<MeteredGateway, 'status' | 'checkStores'>, record: RecordMetric): void {
  void gateway.checkStores?.();
  const { inFlight, holdsInFlight, settlesWaiting, oldestAttempts, providers, stores } = gateway.status();
  record('searchgate.requests.in_flight', inFlight, {});
  record('searchgate.holds.in_flight', holdsInFlight, {});
  record('searchgate.settles.waiting', settlesWaiting, {});
  for (const { model, ageMs } of oldestAttempts) record('searchgate.attempt.oldest', ageMs / MS_PER_SECOND, { model });
  for (const { id, downSinceMs } of stores) record('searchgate.ledger.up', downSinceMs === null ? 1 : 0, { store: id });
  for (const { id: provider, state, pausedForOrganizationIds: organizations, keys = [] } of providers) {
    for (const { name: key, state: keyState } of keys)
      record('searchgate.provider.key_state', 1, { provider, key, state: keyState });
    record('searchgate.provider.paused', state === 'serving' ? 0 : 1, { provider, scope: 'all' });
    record('searchgate.provider.paused', organizations.length > 0 ? 1 : 0, { provider, scope: 'some_organizations' });
  }
}

/** The label of a model. */
type ModelOf = (slug: string) => string;

const NANO_PER_USD = 1e9;
const MS_PER_SECOND = 1_000;
/** Most calls under way whose first failure is remembered. */
const MAX_UNDER_WAY = 20_000;

type Recorder = (event: GatewayEvent, record: RecordMetric, modelOf: ModelOf) => void;
type CostWarning = Extract<GatewayEvent, { type: `cost_${string}` }>;

type Recorders = {
  readonly [Type in GatewayEvent['type']]?: (
    event: Extract<GatewayEvent, { type: Type }>,
    record: RecordMetric,
    modelOf: ModelOf,
  ) => void;
};

/** A recovery is not counted: its failures were. */
const RECORDERS: Recorders = {
  request_finished: recordRequest,
  attempt_finished: recordAttempt,
  provider_paused({ provider, reason, organizationId }, record) {
    const scope = organizationId === null ? 'all' : 'some_organizations';
    record('searchgate.provider.pauses', 1, { provider, reason, scope });
  },
  provider_key_failed: ({ provider, key, state }, record) =>
    record('searchgate.provider.key_failures', 1, { provider, key, state }),
  provider_slot_refused: ({ provider, reason, outcome }, record) =>
    record('searchgate.provider.slots_refused', 1, { provider, reason, outcome }),
  ledger_settle_failed({ final }, record) {
    record('searchgate.settle.failures', 1, {});
    if (final) record('searchgate.settle.given_up', 1, {});
  },
  idempotency_failed({ final }, record) {
    record('searchgate.idempotency.failures', 1, {});
    if (final) record('searchgate.idempotency.given_up', 1, {});
  },
  cost_unknown: recordCostWarning,
  cost_mismatch: recordCostWarning,
  cost_implausible: recordCostWarning,
  citations_dropped: ({ dropped, model }, record, modelOf) =>
    record('searchgate.citations.dropped', dropped, { model: modelOf(model) }),
  holds_expired: ({ count }, record) => record('searchgate.holds.expired', count, {}),
  request_log_dropped: ({ count }, record) => record('searchgate.request_log.dropped', count, {}),
  events_dropped({ byType }, record) {
    for (const [type, count] of Object.entries(byType)) record('searchgate.events.dropped', count, { type });
  },
};

function recordRequest(event: RequestFinished, record: RecordMetric, modelOf: ModelOf): void {
  const { endpoint, status, reason, requestedModel, cost, durationMs, firstContentMs, ignoredFields = 0 } = event;
  const slug = event.model ?? requestedModel;
  const model = slug === null ? 'none' : modelOf(slug);
  record('searchgate.requests', 1, { endpoint, status: String(status), reason: reason ?? 'none' });
  record('searchgate.request.duration', durationMs / MS_PER_SECOND, { endpoint, model });
  if (firstContentMs !== null) record('searchgate.time_to_first_content', firstContentMs / MS_PER_SECOND, { model });
  if (ignoredFields > 0) record('searchgate.fields.ignored', ignoredFields, { endpoint });
  if (cost !== null) record('searchgate.charged.usd', Number(cost) / NANO_PER_USD, { model });
}

function recordAttempt(event: AttemptFinished, record: RecordMetric, modelOf: ModelOf): void {
  const { provider, durationMs, inputTokens, outputTokens } = event;
  const model = modelOf(event.model);
  record('searchgate.attempts', 1, { provider, model, outcome: outcomeOf(event) });
  record('searchgate.attempt.duration', durationMs / MS_PER_SECOND, { provider, model });
  if (inputTokens !== null) record('searchgate.tokens', inputTokens, { provider, model, type: 'input' });
  if (outputTokens !== null) record('searchgate.tokens', outputTokens, { provider, model, type: 'output' });
}

/** The operator can do nothing about a key of an organization, and must not be woken. */
function outcomeOf({ byok, outcome }: AttemptFinished): string {
  return byok === true && isOfKey({ reason: outcome }) ? 'own_key_failed' : outcome;
}

/** Counts answered calls whose first attempt gave no answer: another one did. */
function rescueCounter(record: RecordMetric): (event: GatewayEvent) => void {
  const failures = new Map<string, { readonly from: string; readonly reason: string }>();
  return (event) => {
    if (event.type === 'attempt_finished' && event.attempt === 1 && event.outcome !== 'answered') {
      failures.set(event.requestId, { from: event.provider, reason: outcomeOf(event) });
      const [oldest] = failures.keys();
      if (failures.size > MAX_UNDER_WAY && oldest !== undefined) failures.delete(oldest);
    }
    if (event.type !== 'request_finished') return;
    const failed = failures.get(event.requestId);
    failures.delete(event.requestId);
    if (failed !== undefined && event.reason === null && event.provider !== null)
      record('searchgate.calls.rescued', 1, { from: failed.from, to: event.provider, reason: failed.reason });
  };
}

function recordCostWarning({ type, model }: CostWarning, record: RecordMetric, modelOf: ModelOf): void {
  record('searchgate.cost.warnings', 1, { model: modelOf(model), kind: type.slice('cost_'.length) });
}
