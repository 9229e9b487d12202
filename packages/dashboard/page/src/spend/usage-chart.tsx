import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { UsageTable } from '../../../src/api/contract.js';

const DAY_HEIGHT = 220;
const GROUP_HEIGHT = 30;
/** Groups that are drawn, those with the most charged first; the table has all. */
const MAX_GROUPS = 12;
const MAX_LABEL_CHARACTERS = 22;

/** What was charged: a bar for each day, or for each group. The table below says the same in numbers. */
export function UsageChart({ table }: { table: UsageTable }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let plot = draw(element, table);
    const redraw = () => {
      plot.destroy();
      plot = draw(element, table);
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: plot.height }));
    resized.observe(element);
    // The colors of a canvas do not follow the style sheet.
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [table]);
  return (
    <div ref={box} class="chart" role="img" aria-label={`Chart: charged by ${table.by}. The table has the numbers.`} />
  );
}

function draw(element: HTMLElement, table: UsageTable): uPlot {
  return table.by === 'day' ? drawDays(element, table) : drawGroups(element, table);
}

function drawDays(element: HTMLElement, { rows }: UsageTable): uPlot {
  const colors = colorsOf(element);
  const days = rows.map(({ group }) => Date.parse(`${group}T00:00:00Z`) / 1_000);
  return new uPlot(
    {
      ...sizeOf(element, DAY_HEIGHT),
      // The days are those of UTC.
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      scales: { x: { time: true, range: withHalfADay }, y: { range: fromZero } },
      axes: [
        { ...axis(colors), space: 60, size: 32, values: monthDays },
        { ...axis(colors), size: 60, values: (_plot, values) => values.map(dollars) },
      ],
      series: [{}, bars(colors)],
    },
    [days, rows.map(({ charged }) => Number(charged))],
    element,
  );
}

function drawGroups(element: HTMLElement, { rows }: UsageTable): uPlot {
  const colors = colorsOf(element);
  const most = [...rows].sort((a, b) => Number(b.charged) - Number(a.charged)).slice(0, MAX_GROUPS);
  const labels = most.map(({ group }) => shorten(group ?? 'none'));
  const places = labels.map((_, index) => index);
  const labelWidth = Math.min(150, element.clientWidth / 2.5);
  return new uPlot(
    {
      ...sizeOf(element, 48 + most.length * GROUP_HEIGHT),
      // Bars that lie on their side leave room for names.
      scales: {
        x: { time: false, ori: 1, dir: -1, range: [-0.5, most.length - 0.5] },
        y: { ori: 0, dir: 1, range: fromZero },
      },
      axes: [
        {
          ...axis(colors),
          side: 3,
          size: labelWidth,
          splits: () => places,
          values: () => labels,
          grid: { show: false },
        },
        { ...axis(colors), side: 2, size: 32, space: 90, values: (_plot, values) => values.map(dollars) },
      ],
      series: [{}, bars(colors)],
    },
    [places, most.map(({ charged }) => Number(charged))],
    element,
  );
}

interface Colors {
  readonly text: string;
  readonly line: string;
  readonly accent: string;
}

function colorsOf(element: HTMLElement): Colors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { text: color('--text-quiet'), line: color('--line'), accent: color('--accent') };
}

function sizeOf(element: HTMLElement, height: number) {
  return { width: element.clientWidth, height, legend: { show: false }, cursor: { show: false } };
}

function axis({ text, line }: Colors): uPlot.Axis {
  return { stroke: text, font: '12px system-ui, sans-serif', grid: { stroke: line, width: 1 }, ticks: { show: false } };
}

function bars({ accent }: Colors): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.7, 40] });
  return { fill: accent, stroke: accent, width: 0, points: { show: false }, ...(paths && { paths }) };
}

const fromZero: uPlot.Range.Function = (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1];
const withHalfADay: uPlot.Range.Function = (_plot, min, max) => [min - 43_200, max + 43_200];

/** `11-21`, as the days of the table end. */
function monthDays(_plot: uPlot, seconds: readonly number[]): string[] {
  return seconds.map((second) => new Date(second * 1_000).toISOString().slice(5, 10));
}

function dollars(value: number): string {
  return `$${Number(value.toPrecision(6))}`;
}

function shorten(text: string): string {
  return text.length > MAX_LABEL_CHARACTERS ? `${text.slice(0, MAX_LABEL_CHARACTERS - 1)}…` : text;
}
