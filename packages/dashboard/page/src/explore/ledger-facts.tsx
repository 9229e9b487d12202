import type { Statistics, UsageTable } from '../../../src/api/contract.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { aboutUsd, count, percent } from '../format.js';
import { Money } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import type { Choice } from './measures.js';

interface LedgerFactsProps {
  readonly filters: Choice['filters'];
  /** Of which time. */
  readonly data: Statistics | undefined;
}

/** What the ledger says of the days: the truth about money, of which the log may lack a call. It knows no filter but these two. */
export function LedgerFacts({ filters: { organization, key, ...others }, data }: LedgerFactsProps) {
  const isKnown = data !== undefined && Object.keys(others).length === 0;
  const from = data?.since.slice(0, 10);
  const to = data && new Date(Date.parse(data.until) - 1).toISOString().slice(0, 10);
  const query: Query = { by: 'day', organization, key, from, to };
  const usage = useLoad(isKnown ? apiUrl('usage', query) : null, () => getJson<UsageTable>('usage', query)).data;
  if (!isKnown || usage === undefined) return null;
  const { charged, requests, cached_requests, upstream_cost, lost } = usage.total;
  const facts = {
    'Ledger, whole days': `${from} to ${to}`,
    Charged: <Money amount={charged} />,
    Charges: `${count(requests)} (${percent(cached_requests, requests)} cached)`,
    'Upstream cost': <Money amount={upstream_cost} />,
    Lost: <Money amount={lost} />,
    ...(usage.forecast !== null && { 'Month will cost': aboutUsd(usage.forecast) }),
  };
  return (
    <dl class="ledger-facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
