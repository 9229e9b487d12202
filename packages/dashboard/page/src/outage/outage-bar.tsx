import type { Outage } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { minute, plural } from '../format.js';
import { useHealth } from '../health/health-view.js';

/** As in the alert rules. */
const RUNBOOK = 'https://github.com/searchgate/searchgate/blob/main/docs/runbook.md';
/** So many models of a paused provider are named. */
const MOST_NAMED = 3;

type StoreName = Exclude<Outage['of'], 'provider'>;

/** What is down, what callers see, and the chapter of the runbook. */
const STORES: Readonly<Record<StoreName, readonly [name: string, effect: string, chapter: string]>> = {
  ledger: ['The ledger', 'calls are refused with 503, and this page may show old values', 'SearchgateLedgerDown'],
  key_store: ['The key store', 'calls are refused with 503', 'SearchgateLedgerDown'],
  idempotency: [
    'The store of idempotency keys',
    'calls with such a key are refused with 503, all others are served',
    'SearchgateLedgerDown',
  ],
  request_log: [
    'The request log',
    'calls are served and charged as ever, but Requests and figures miss them until they can be written',
    'SearchgateRequestLogDropped',
  ],
};

/** Says on every view what calls cannot use. */
export function OutageBar() {
  const { data: { outages = [] } = {} } = useHealth();
  return outages.map((outage) => <OutageNotice key={`${outage.of} ${outage.provider}`} outage={outage} />);
}

function OutageNotice({ outage: { of, provider, since, models } }: { outage: Outage }) {
  const begin = since === null ? '' : ` since ${minute(since)} UTC`;
  if (of !== 'provider') {
    const [name, effect, chapter] = STORES[of];
    return <Notice text={`${name} is down${begin}: ${effect}.`} chapter={chapter} />;
  }
  if (provider === null || models.length === 0) return null;
  const named = models.slice(0, MOST_NAMED).join(', ');
  const others = models.length > MOST_NAMED ? ` and ${models.length - MOST_NAMED} more` : '';
  const text = `${provider} is paused after failures${begin}: calls of ${plural(models.length, 'model')} (${named}${others}) get their fallback, or 503 upstream_unavailable.`;
  return <Notice text={text} chapter="SearchgateProviderPaused" calls={linkTo('requests', { attempted: provider })} />;
}

function Notice({ text, chapter, calls }: { text: string; chapter: string; calls?: string }) {
  return (
    <div class="notice error" role="alert">
      <p>{text}</p>
      <span class="links">
        {calls !== undefined && <a href={calls}>Its calls</a>}
        <a href={`${RUNBOOK}#${chapter.toLowerCase()}`}>Runbook: {chapter}</a>
      </span>
    </div>
  );
}
