import type { EventListener, GatewayEvent, RequestFinished } from '../base/events/events.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import type { GatewayStatus } from './gateway-status.js';
import type { MetricLabels, MetricName } from './metric-table.js';

/** The methods of a gateway that metrics need. */
export interface MeteredGateway {
  on(listener: EventListener): () => void;
  status(): GatewayStatus;
  checkStores?(): Promise<unknown>;
  models(filter: { readonly callable: true }): readonly { readonly id: string }[];
}

/** Adds to a counter, adds a value to a histogram, or sets a gauge. */
export type RecordMetric = <Name extends MetricName>(name: Name, value: number, labels: MetricLabels<Name>) => void;

/** Records every event of a gateway in counters and histograms. @returns a function that stops the recording. */
export function recordMetrics(gateway: MeteredGateway, record: RecordMetric): () => void {
  // Only configured models become labels: the number of names that callers send is unlimited.
  const known = new Set(gateway.models({ callable: true }).map(({ id }) => id));
  const modelOf: ModelOf = (slug) => (known.has(slug) ? slug : 'unknown');
  return gateway.on((event) => recordEvent(event, modelOf, record));
}

/** Records the current status of a gateway in gauges, and lets its stores be probed for the next time. */
export function recordGauges(gateway: Pick<MeteredGateway, 'status' | 'checkStores'>, record: RecordMetric): void {
  void gateway.checkStores?.();
  const { inFlight, holdsInFlight, settlesWaiting, providers, stores } = gateway.status();
  record('searchgate.requests.in_flight', inFlight, {});
  record('searchgate.holds.in_flight', holdsInFlight, {});
  record('searchgate.settles.waiting', settlesWaiting, {});
  for (const { id, downSinceMs } of stores) record('searchgate.ledger.up', downSinceMs === null ? 1 : 0, { store: id });
  for (const { id: provider, state, pausedForOrganizationIds: organizations } of providers) {
    record('searchgate.provider.paused', state === 'serving' ? 0 : 1, { provider, scope: 'all' });
    record('searchgate.provider.paused', organizations.length > 0 ? 1 : 0, { provider, scope: 'some_organizations' });
  }
}

/** The label of a model. */
type ModelOf = (slug: string) => string;

const NANO_PER_USD = 1e9;
const MS_PER_SECOND = 1_000;

function recordEvent(event: GatewayEvent, modelOf: ModelOf, record: RecordMetric): void {
  switch (event.type) {
    case 'request_finished':
      recordRequest(event, modelOf, record);
      break;
    case 'attempt_finished':
      recordAttempt(event, modelOf, record);
      break;
    case 'provider_paused': {
      const { provider, reason, organizationId } = event;
      record('searchgate.provider.pauses', 1, {
        provider,
        reason,
        scope: organizationId === null ? 'all' : 'some_organizations',
      });
      break;
    }
    case 'provider_limited': {
      const { provider, reason, outcome } = event;
      record('searchgate.provider.limited', 1, { provider, reason, outcome });
      break;
    }
    case 'ledger_settle_failed':
      record('searchgate.settle.failures', 1, {});
      if (event.final) record('searchgate.settle.given_up', 1, {});
      break;
    case 'idempotency_failed':
      record('searchgate.idempotency.failures', 1, {});
      if (event.final) record('searchgate.idempotency.given_up', 1, {});
      break;
    case 'cost_unknown':
    case 'cost_mismatch':
    case 'cost_implausible':
      record('searchgate.cost.warnings', 1, { model: modelOf(event.model), kind: event.type.slice('cost_'.length) });
      break;
    case 'citations_dropped':
      record('searchgate.citations.dropped', event.dropped, { model: modelOf(event.model) });
      break;
    case 'holds_expired':
      record('searchgate.holds.expired', event.count, {});
      break;
    case 'requests_unlogged':
      record('searchgate.requests.unlogged', event.count, {});
      break;
    case 'events_dropped':
      for (const [type, count] of Object.entries(event.byType)) record('searchgate.events.dropped', count, { type });
      break;
    default:
      // A recovery is not counted: its failures were.
      break;
  }
}

function recordRequest(event: RequestFinished, modelOf: ModelOf, record: RecordMetric): void {
  const { endpoint, status, reason, requestedModel, cost, durationMs, firstContentMs, ignoredFields = 0 } = event;
  const slug = event.model ?? requestedModel;
  const model = slug === null ? 'none' : modelOf(slug);
  record('searchgate.requests', 1, { endpoint, status: String(status), reason: reason ?? 'none' });
  record('searchgate.request.duration', durationMs / MS_PER_SECOND, { endpoint, model });
  if (firstContentMs !== null) record('searchgate.time_to_first_content', firstContentMs / MS_PER_SECOND, { model });
  if (ignoredFields > 0) record('searchgate.fields.ignored', ignoredFields, { endpoint });
  if (cost !== null) record('searchgate.charged.usd', Number(cost) / NANO_PER_USD, { model });
}

function recordAttempt(event: AttemptFinished, modelOf: ModelOf, record: RecordMetric): void {
  const { provider, outcome, durationMs, inputTokens, outputTokens } = event;
  const model = modelOf(event.model);
  record('searchgate.attempts', 1, { provider, model, outcome });
  record('searchgate.attempt.duration', durationMs / MS_PER_SECOND, { provider, model });
  if (inputTokens !== null) record('searchgate.tokens', inputTokens, { provider, model, type: 'input' });
  if (outputTokens !== null) record('searchgate.tokens', outputTokens, { provider, model, type: 'output' });
}
