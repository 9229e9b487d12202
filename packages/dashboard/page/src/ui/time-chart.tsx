import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { count } from '../format.js';

const HEIGHT = 180;
const SECOND_MS = 1_000;
/** Steps of an axis of counts: there is no half of a call. */
const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Values over time. */
export interface Series {
  readonly name: string;
  /** One of each span; `null` for none. */
  readonly values: readonly (number | null)[];
  /** A color of the style: `good`, `bad`, or `series-1` to `series-8` and `series-rest`. */
  readonly color: string;
}

interface TimeChartProps {
  /** For those who do not see the chart, with the figures that matter. */
  readonly label: string;
  /** The begin of each span, in milliseconds; all spans are as long. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** At most nine, as there are colors; the first is on top of a stack. */
  readonly series: readonly Series[];
  /** Amounts and counts are stacked as bars; latencies are lines. */
  readonly shape: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly height?: number | undefined;
  /** Called with the whole spans that a brush, or a click on one, has chosen. */
  readonly onChosen: (sinceMs: number, untilMs: number) => void;
}

/** A chart with axes, a legend of the values under the pointer, and a brush. */
export function TimeChart(props: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const { label } = props;
  const shown = JSON.stringify(props);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const chart = new uPlot(
      optionsOf(() => latest.current, element),
      dataOf(latest.current),
      element,
    );
    const sized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: chart.height }));
    sized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.redraw(false);
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      sized.disconnect();
      chart.destroy();
    };
  }, [shown]);
  return <figure ref={box} class="chart" role="img" aria-label={label} />;
}

/** Each series of a stack lies before those that it stands on. */
function dataOf({ times, series, shape }: TimeChartProps): uPlot.AlignedData {
  const x = times.map((ms) => ms / SECOND_MS);
  if (shape === 'lines') return [x, ...series.map(({ values }) => [...values])];
  const from = (first: number, at: number) =>
    series.slice(first).reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
  return [x, ...series.map((_, first) => times.map((__, at) => from(first, at)))];
}

function optionsOf(props: () => TimeChartProps, element: HTMLElement): uPlot.Options {
  const { times, stepMs, series, shape, format, height = HEIGHT } = props();
  const colorOf = (name: string) => () => getComputedStyle(element).getPropertyValue(`--${name}`);
  const [bars] = [uPlot.paths.bars?.({ size: [0.8, 48], align: 1 })];
  const axis = { stroke: colorOf('text-quiet'), grid: { stroke: colorOf('line'), width: 1 }, ticks: { show: false } };
  const step = stepMs / SECOND_MS;
  const spanOf = (x: number) => Math.floor((x - (times[0] ?? 0) / SECOND_MS) / step);
  return {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * SECOND_MS), 'Etc/UTC'),
    // A bar begins at its time.
    cursor: {
      y: false,
      dataIdx: (...[, , nearest, x]) => (shape === 'bars' ? spanOf(x) : nearest),
      drag: { x: true, y: false, setScale: false },
    },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { range: () => [(times[0] ?? 0) / SECOND_MS, (times.at(-1) ?? 0) / SECOND_MS + step] },
      y: { range: (_, __, most) => [0, Math.max(most, Number.MIN_VALUE) || 1] },
    },
    axes: [
      { ...axis, size: 28, grid: { show: false }, values: ticksOf },
      { ...axis, size: 64, values: (_, splits) => splits.map(format), ...(format === count && { incrs: WHOLE }) },
    ],
    series: [
      { value: (_, seconds) => (Number.isFinite(seconds) ? timeText(seconds * SECOND_MS, stepMs) : '') },
      ...series.map(({ name, color, values }) => ({
        label: name,
        stroke: colorOf(color),
        value: (...[, , , at]: [uPlot, number, number, number | null]) =>
          at == null ? '' : values[at] == null ? '–' : format(values[at]),
        ...(shape === 'bars' && bars !== undefined
          ? { fill: colorOf(color), width: 0, paths: bars, points: { show: false } }
          : { width: 2, spanGaps: true, points: { show: times.length < 2 } }),
      })),
    ],
    // Each part of a bar ends where the next begins: at blurred edges no color shines through another.
    bands: shape === 'bars' ? series.slice(1).map((_, at) => ({ series: [at + 1, at + 2] })) : [],
    hooks: {
      setSelect: [(chart) => chart.select.width > 0 && chooseSpans(chart, props(), chart.select)],
      // After a brush there is no click.
      ready: [
        (chart) =>
          chart.over.addEventListener('click', () =>
            chooseSpans(chart, props(), { left: chart.cursor.left ?? 0, width: 0 }),
          ),
      ],
    },
  };
}

/** @param part of the chart, in pixels. */
function chooseSpans(chart: uPlot, { times, stepMs, onChosen }: TimeChartProps, part: { left: number; width: number }) {
  const first = times[0] ?? 0;
  const spanAt = (pixels: number) => (chart.posToVal(pixels, 'x') * SECOND_MS - first) / stepMs;
  const from = Math.max(0, Math.floor(spanAt(part.left)));
  const to = Math.min(times.length, Math.max(from + 1, Math.ceil(spanAt(part.left + part.width))));
  onChosen(first + from * stepMs, first + to * stepMs);
}

/** `14:00`, at midnight `11-29`. The end has no room. */
function ticksOf({ scales }: uPlot, splits: readonly number[]): string[] {
  return splits.map((seconds) => {
    const text = new Date(seconds * SECOND_MS).toISOString();
    if (seconds === scales['x']?.max) return '';
    return text.slice(11, 16) === '00:00' ? text.slice(5, 10) : text.slice(11, 16);
  });
}

/** `2026-11-29 14:00`; of days without the time. */
function timeText(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString().replace('T', ' ');
  return text.slice(0, stepMs < 86_400_000 ? 16 : 10);
}
