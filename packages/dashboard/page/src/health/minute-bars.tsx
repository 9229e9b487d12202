import type { ProviderHealth } from '../../../src/api/contract.js';
import { count } from '../format.js';

const HEIGHT = 24;
const WIDTH = 3;

/** A bar for each minute: all attempts, and the failed ones from below. */
export function MinuteBars({ provider: { id, minutes, attempts, failures } }: { provider: ProviderHealth }) {
  const most = Math.max(1, ...minutes.map((one) => one.attempts));
  const bar = (value: number, index: number, name: string) => {
    const height = (value / most) * HEIGHT;
    return value === 0 ? null : (
      <rect
        key={`${name}${index}`}
        class={name}
        x={index * WIDTH}
        y={HEIGHT - height}
        width={WIDTH - 1}
        height={height}
      />
    );
  };
  const label = `${id}: ${count(attempts)} attempts, ${count(failures)} failed`;
  return (
    <svg class="bars" role="img" aria-label={label} width={minutes.length * WIDTH} height={HEIGHT}>
      <rect class="base" y={HEIGHT - 1} width={minutes.length * WIDTH} height={1} />
      {minutes.map((one, index) => bar(one.attempts, index, 'attempts'))}
      {minutes.map((one, index) => bar(one.failures, index, 'failures'))}
    </svg>
  );
}
