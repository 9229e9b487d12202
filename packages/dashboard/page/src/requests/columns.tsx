import { useState } from 'preact/hooks';
import type { RequestRow } from '../../../src/api/contract.js';
import { linkTo, type Params } from '../address.js';
import { milliseconds, timeOfDay } from '../format.js';
import { ShareBar } from '../ui/charts.js';
import type { Column } from '../ui/data-table.js';
import { Menu } from '../ui/menu.js';
import { Cut, Money } from '../ui/parts.js';
import { outcomeText } from './explain.js';

/** Labels of keys, by their ids. */
export type KeyLabels = ReadonlyMap<string, string>;

const ID_END = 6;

/** The label of a key; the end of an id that has none. */
export function keyLabel(labels: KeyLabels, id: string): string {
  return labels.get(id) ?? (id.length > 2 * ID_END ? `…${id.slice(-ID_END)}` : id);
}

/** Keys of the host have no page. */
export const linkToKey = (id: string, shared: Params): string | undefined =>
  id.startsWith('sg_') ? linkTo('keys', { ...shared, key: id }) : undefined;

interface Context {
  readonly labels: KeyLabels;
  /** The longest duration on the page. */
  readonly longestMs: number;
  /** The time, for links to other views. */
  readonly shared: Params;
  /** The address of the panel of a call. */
  readonly linkOf: (row: RequestRow) => string;
}

/** The first opens calls. */
export function columnsOf({ labels, longestMs, shared, linkOf }: Context): readonly Column<RequestRow>[] {
  return [
    { title: 'Time (UTC)', name: 'time', cell: (row) => <TimeLink row={row} href={linkOf(row)} /> },
    { title: 'Kind', name: 'kind', cell: ({ endpoint }) => endpoint },
    { title: 'Model', name: 'model', cell: (row) => <Way row={row} /> },
    {
      title: 'Outcome',
      name: 'outcome',
      cell: (row) => (
        <span class={row.status < 400 ? 'quiet' : 'bad'}>
          <Cut>{outcomeText(row)}</Cut>
        </span>
      ),
    },
    {
      title: 'Cost',
      name: 'cost',
      cell: ({ cost }) => (cost === null ? '–' : <Money amount={cost} />),
      isNumber: true,
    },
    {
      title: 'Duration',
      name: 'duration',
      cell: ({ duration_ms }) => (
        <span class="measure">
          {milliseconds(duration_ms)}
          <ShareBar share={duration_ms / longestMs} />
        </span>
      ),
      isNumber: true,
    },
    { title: 'Organization', name: 'organization', cell: ({ organization_id }) => <Cut>{organization_id}</Cut> },
    {
      title: 'Key',
      name: 'key',
      cell: ({ key_id }) => <Cut href={linkToKey(key_id, shared)}>{keyLabel(labels, key_id)}</Cut>,
    },
    { title: 'Tag', name: 'tag', cell: ({ tag }) => <Cut>{tag ?? '–'}</Cut> },
  ];
}

/** The id of the link that opens a call. */
export const linkId = (requestId: string): string => `open-${requestId}`;

function TimeLink({ row, href }: { row: RequestRow; href: string }) {
  const state = row.status >= 500 ? 'failed' : row.status >= 400 ? 'refused' : row.rescued ? 'rescued' : 'answered';
  return (
    <>
      <span class={`dot ${state}`} role="img" aria-label={state} title={state} />
      <a id={linkId(row.request_id)} href={href}>
        <time dateTime={row.at}>{`${row.at.slice(5, 10)} ${timeOfDay(row.at)}`}</time>
      </a>
    </>
  );
}

/** `exa ✕ → tavily/answer`: the providers that were asked, and the model that answered. */
function Way({ row }: { row: RequestRow }) {
  const { status, attempted, provider, model, model_asked, rescued, byok } = row;
  const isAnswered = status < 400;
  const others = attempted.filter((id) => id !== provider);
  // A retry of the same provider.
  const failed = !isAnswered ? others : rescued ? (others.length === 0 && provider !== null ? [provider] : others) : [];
  const isFailed = !isAnswered && attempted.length > 0;
  return (
    <span class="way">
      {failed.map((id) => (
        <span key={id} class="way">
          <Chip text={id} isFailed />
          <span aria-hidden="true">→</span>
        </span>
      ))}
      <Chip text={model ?? model_asked ?? 'no model'} isFailed={isFailed} />
      {byok && <small class="hint">own key</small>}
    </span>
  );
}

function Chip({ text, isFailed }: { text: string; isFailed: boolean }) {
  return (
    <span class={isFailed ? 'chip bad' : 'chip'}>
      <Cut>{text}</Cut>
      {isFailed && (
        <span role="img" aria-label="failed">
          ✕
        </span>
      )}
    </span>
  );
}

const STORED_AS = 'searchgate.requests.hidden-columns';

/** The titles of hidden columns, kept by the browser where it may. */
export function useHiddenColumns() {
  const [hidden, setHidden] = useState(readHidden);
  const toggle = (title: string) => {
    const others = hidden.filter((each) => each !== title);
    const next = others.length < hidden.length ? others : [...hidden, title];
    setHidden(next);
    try {
      localStorage.setItem(STORED_AS, next.join());
    } catch {
      // Then the choice ends with the page.
    }
  };
  return { hidden, toggle };
}

function readHidden(): readonly string[] {
  try {
    return localStorage.getItem(STORED_AS)?.split(',') ?? [];
  } catch {
    return [];
  }
}

interface ColumnMenuProps extends ReturnType<typeof useHiddenColumns> {
  readonly titles: readonly string[];
}

export function ColumnMenu({ titles, hidden, toggle }: ColumnMenuProps) {
  return (
    <Menu label="Columns">
      {() => (
        <fieldset>
          <legend>Columns</legend>
          {titles.map((title) => (
            <label key={title}>
              <input type="checkbox" checked={!hidden.includes(title)} onChange={() => toggle(title)} /> {title}
            </label>
          ))}
        </fieldset>
      )}
    </Menu>
  );
}
