import type { UsageTable } from '../../../src/api/contract.js';
import { usd } from '../format.js';

/** Limit of drawn groups, highest charges first; the table has all groups. */
const MAX_GROUPS = 12;
const HEIGHT = 100;
const GAP = 0.15;

/** Charges as bars per day or group. The table below has the same numbers. */
export function UsageChart({ table: { by, data: rows } }: { table: UsageTable }) {
  const largest = [...rows].sort((a, b) => Number(b.charged) - Number(a.charged));
  const most = Number(largest[0]?.charged ?? 0);
  const label = `Chart: charged by ${by}. The table has the numbers.`;
  if (by !== 'day') {
    return (
      <div class="chart groups" role="img" aria-label={label}>
        {largest.slice(0, MAX_GROUPS).map(({ group, charged }) => (
          <div key={group}>
            <span>{group ?? 'none'}</span>
            <meter max={most} value={Number(charged)} />
            <span>{usd(charged)}</span>
          </div>
        ))}
      </div>
    );
  }
  return (
    <figure class="chart">
      <svg role="img" aria-label={label} viewBox={`0 0 ${rows.length} ${HEIGHT}`} preserveAspectRatio="none">
        {rows.map(({ group, charged }, index) => {
          const height = most > 0 ? (Number(charged) / most) * HEIGHT : 0;
          return (
            <rect key={group} x={index + GAP} y={HEIGHT - height} width={1 - 2 * GAP} height={height}>
              <title>{`${group}: ${usd(charged)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="hint">
        {rows[0]?.group} to {rows.at(-1)?.group}, at most {usd(largest[0]?.charged ?? '0')} a day
      </figcaption>
    </figure>
  );
}
