import type { ProviderHealth } from '../../../src/api/contract.js';

/** A bar as long as its share of the largest. */
export function ShareBar({ share }: { share: number }) {
  return (
    <svg class="share" aria-hidden="true">
      <rect width={`${100 * share}%`} height="100%" />
    </svg>
  );
}

const SPARK_HEIGHT = 24;
const SPARK_WIDTH = 3;

interface BarsProps {
  readonly label: string;
  readonly slots: ProviderHealth['minutes'];
}

/** A bar per minute, with the failed part at its bottom. */
export function Bars({ label, slots }: BarsProps) {
  const most = Math.max(1, ...slots.map(({ attempts }) => attempts));
  const bar = (value: number, index: number, name: string) =>
    value > 0 && (
      <rect
        class={name}
        x={index * SPARK_WIDTH}
        y={SPARK_HEIGHT * (1 - value / most)}
        width={SPARK_WIDTH - 1}
        height={(value / most) * SPARK_HEIGHT}
      />
    );
  return (
    <svg class="bars" role="img" aria-label={label} width={slots.length * SPARK_WIDTH} height={SPARK_HEIGHT}>
      <rect class="base" y={SPARK_HEIGHT - 1} width={slots.length * SPARK_WIDTH} height={1} />
      {slots.map(({ attempts, failures }, index) => (
        <g key={index}>
          {bar(attempts, index, 'attempts')}
          {bar(failures, index, 'failures')}
        </g>
      ))}
    </svg>
  );
}
