import type { UsageLine } from '../../../src/api/contract.js';
import { shortUsd, usd } from '../format.js';

const HEIGHT = 100;
const GAP = 0.15;
/** Up to this many days each has its own tick; of more days, about half as many have one. */
const SHORT_DAYS = 14;

/** Charges as a bar per day. */
export function DayChart({ rows, label }: { rows: readonly UsageLine[]; label: string }) {
  const most = Math.max(0, ...rows.map(({ charged }) => Number(charged)));
  const every = rows.length <= SHORT_DAYS ? 1 : Math.ceil(rows.length / (SHORT_DAYS / 2));
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
      <div class="ticks" aria-hidden="true">
        {rows.map(({ group }, index) => (
          <span key={group}>{index % every === 0 && <Tick day={group ?? ''} isShort={every === 1} />}</span>
        ))}
      </div>
      <figcaption class="hint">
        {rows[0]?.group} to {rows.at(-1)?.group} (UTC), at most {shortUsd(String(most))} a day
      </figcaption>
    </figure>
  );
}

/** `11-27`; of a short range only `27` where there is little room. */
function Tick({ day, isShort }: { day: string; isShort: boolean }) {
  return (
    <>
      <span class={isShort ? 'month' : undefined}>{day.slice(5, 8)}</span>
      {day.slice(8)}
    </>
  );
}

/** A bar as long as its share of the largest. */
export function ShareBar({ share }: { share: number }) {
  return (
    <svg class="share" aria-hidden="true">
      <rect width={`${100 * share}%`} height="100%" />
    </svg>
  );
}

const SPARK_HEIGHT = 24;
const SPARK_WIDTH = 6;

interface BarsProps {
  readonly label: string;
  readonly slots: readonly { readonly value: number; readonly failures?: number; readonly title?: string }[];
  readonly width?: number;
}

/** A bar per part of the time, with the failed part at its bottom. */
export function Bars({ label, slots, width = SPARK_WIDTH }: BarsProps) {
  const most = Math.max(1, ...slots.map(({ value }) => value));
  const bar = (value: number, index: number, name: string) =>
    value > 0 && (
      <rect
        class={name}
        x={index * width}
        y={SPARK_HEIGHT * (1 - value / most)}
        width={width - 1}
        height={(value / most) * SPARK_HEIGHT}
      />
    );
  return (
    <svg class="bars" role="img" aria-label={label} width={slots.length * width} height={SPARK_HEIGHT}>
      <rect class="base" y={SPARK_HEIGHT - 1} width={slots.length * width} height={1} />
      {slots.map(({ value, failures = 0, title }, index) => (
        <g key={index}>
          {title !== undefined && <title>{title}</title>}
          {bar(value, index, 'attempts')}
          {bar(failures, index, 'failures')}
        </g>
      ))}
    </svg>
  );
}
