import { useState } from 'preact/hooks';
import { minute } from '../format.js';
import { RANGE_NAMES, rangeParams, useTimeRange } from '../time-range.js';
import { Field } from './field.js';

/** Chooses the time that all views show: a length up to now, or from–to with minutes, in UTC. */
export function RangePicker() {
  const { name, since, until, choose } = useTimeRange();
  const [isOpen, setIsOpen] = useState(false);
  const chosen = `${minute(since)} – ${until === null ? 'now' : minute(until)}`;
  return (
    <div class="range">
      <div class="segments" role="group" aria-label="Time">
        {Object.entries(RANGE_NAMES).map(([range, title]) => (
          <button key={range} type="button" aria-pressed={range === name} onClick={() => choose({ range })}>
            {title}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={name === null}
          aria-expanded={isOpen}
          onClick={() => setIsOpen((before) => !before)}
        >
          {name === null ? chosen : 'From – to'}
        </button>
      </div>
      {isOpen && <FromTo key={chosen} since={since} until={until} onDone={() => setIsOpen(false)} />}
    </div>
  );
}

interface FromToProps {
  readonly since: string;
  readonly until: string | null;
  readonly onDone: () => void;
}

function FromTo({ since, until, onDone }: FromToProps) {
  const { choose } = useTimeRange();
  const [from, setFrom] = useState(since.slice(0, 16));
  const [to, setTo] = useState((until ?? new Date().toISOString()).slice(0, 16));
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        choose(rangeParams(Date.parse(`${from}Z`), Date.parse(`${to}Z`)));
        onDone();
      }}
    >
      <Field label="From (UTC)" type="datetime-local" required value={from} max={to} onValue={setFrom} />
      <Field label="To (UTC)" type="datetime-local" required value={to} min={from} onValue={setTo} />
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  );
}
