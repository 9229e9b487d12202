/** What one scrape of `/metrics` gave, by series such as `searchgate_ledger_up{store="ledger"}`. */
export type Scrape = ReadonlyMap<string, number>;

/** The metrics that the alert rules of an outage read. */
const RECORDED =
  /^searchgate_(?:ledger_up|provider_paused|attempts_total|requests_total|settle_failures_total|settles_waiting)\b/;

/** Reads the text of a scrape. Calls of other endpoints than `answer`, and providers that nobody asked, are left out. */
export function readScrape(text: string): Scrape {
  const lines = text
    .split('\n')
    .filter((line) => RECORDED.test(line) && !/endpoint="(?!answer")|provider="local"/.test(line));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}

/** The scrapes as `input_series` of promtool, one value per scrape. */
export function inputSeries(scrapes: readonly Scrape[]): { series: string; values: string }[] {
  const names = [...new Set(scrapes.flatMap((scrape) => [...scrape.keys()]))].sort();
  return names
    .map((series) => ({ series, values: scrapes.map((scrape) => scrape.get(series)) }))
    .filter(({ values }) => values.some((value) => value !== values[0]))
    .map(({ series, values }) => ({ series, values: inRuns(values) }));
}

/** Runs of one value as `5x2`, which is three times 5; `_` for a scrape without the series. */
function inRuns(values: readonly (number | undefined)[]): string {
  const runs: { value: string; more: number }[] = [];
  for (const value of values.map((each) => (each === undefined ? '_' : String(each)))) {
    const last = runs.at(-1);
    if (last?.value === value) last.more += 1;
    else runs.push({ value, more: 0 });
  }
  // `_x2` are two missing values, but `5x2` are three of 5.
  return runs.map(({ value, more }) => (more === 0 ? value : `${value}x${value === '_' ? more + 1 : more}`)).join(' ');
}
