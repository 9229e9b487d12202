import { useRef, useState } from 'preact/hooks';
import type { Model, OrganizationView, Page, Session, Statistics } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { aboutUsd, milliseconds, usd } from '../format.js';
import { Field, Select } from '../ui/field.js';
import { Menu } from '../ui/menu.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { useLoad } from '../use-load.js';
import type { KeyLabels } from './columns.js';
import { plain, REASONS } from './explain.js';

const OUTCOMES = [
  ['2', 'answered'],
  ['4', 'refused (4xx)'],
  ['402', 'no money (402)'],
  ['429', 'too many (429)'],
  ['5', 'failed (5xx)'],
] as const;
const RESCUED = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;

interface FilterField {
  readonly label: string;
  /** Values and texts, where there are no others. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly hint?: string;
  /** How a chip shows a value. */
  readonly text?: (value: string) => string;
}

/** Filters by the name of their parameter, in the address as in the API. */
const FIELDS: Readonly<Record<string, FilterField>> = {
  status: { label: 'Outcome', options: OUTCOMES },
  model: { label: 'Model' },
  organization: { label: 'Organization' },
  key: { label: 'Key' },
  reason: { label: 'Reason', text: plain },
  provider: { label: 'Provider', hint: 'That answered, or was asked last' },
  attempted: { label: 'Asked provider', hint: 'Whoever answered' },
  rescued: { label: 'Rescued', options: RESCUED },
  tag: { label: 'Tag' },
  budget: { label: 'Budget' },
  min_cost: { label: 'Least cost', hint: 'In USD, such as 0.05', text: usd },
  min_duration_ms: { label: 'Least duration', hint: 'In milliseconds', text: (ms) => milliseconds(Number(ms)) },
  min_attempts: { label: 'Least attempts', hint: '2 finds calls that asked again' },
  id: { label: 'Id', hint: 'Of a request or an answer' },
};

export type Filters = Readonly<Record<string, string>>;

/** The filters among the parameters of an address. */
export function filtersOf(params: Filters): Filters {
  return Object.fromEntries(Object.entries(params).filter(([name]) => Object.hasOwn(FIELDS, name)));
}

/** Names for people. */
export function filterNames(names: readonly string[]): string {
  return names.map((name) => (FIELDS[name]?.label ?? name).toLowerCase()).join(', ');
}

interface FilterBarProps {
  readonly session: Session;
  readonly filters: Filters;
  readonly labels: KeyLabels;
  /** Of the time: what is slow and costly. */
  readonly figures: Statistics['total'] | undefined;
}

/** Quick filters, a chip for each other filter, and a form for more. */
export function FilterBar({ session, filters, labels, figures }: FilterBarProps) {
  const { change } = useAddress();
  const box = useRef<HTMLDivElement>(null);
  const quick = quickFilters(figures);
  const isQuick = ([name, value]: [string, string]) => quick.some((each) => each.name === name && each.value === value);
  const chips = Object.entries(filters).filter((entry) => !isQuick(entry));
  const remove = (part: Filters) => {
    change(part);
    // The button is gone.
    box.current?.querySelector('summary')?.focus();
  };
  return (
    <div ref={box} class="filters" role="group" aria-label="Filters">
      {quick.map(({ title, name, value, label }) => (
        <button
          key={title}
          type="button"
          class="chip"
          aria-pressed={filters[name] === value}
          title={label}
          onClick={() => change({ [name]: filters[name] === value ? '' : value })}
        >
          {title}
        </button>
      ))}
      {chips.map(([name, value]) => (
        <FilterChip key={name} name={name} text={textOf(name, value, labels)} onRemove={() => remove({ [name]: '' })} />
      ))}
      <Menu label="Add filter">
        {(close) => (
          <AddFilter
            session={session}
            labels={labels}
            onAdd={(part) => {
              change(part);
              close();
            }}
          />
        )}
      </Menu>
      {Object.keys(filters).length > 1 && (
        <button
          type="button"
          class="link"
          onClick={() => remove(Object.fromEntries(Object.keys(filters).map((name) => [name, ''])))}
        >
          Clear all
        </button>
      )}
    </div>
  );
}

function FilterChip({ name, text, onRemove }: { name: string; text: string; onRemove: () => void }) {
  const shown = `${FIELDS[name]?.label}: ${text}`;
  return (
    <button type="button" class="chip on" aria-label={`Remove the filter ${shown}`} onClick={onRemove}>
      {shown} <span aria-hidden="true">×</span>
    </button>
  );
}

function textOf(name: string, value: string, labels: KeyLabels): string {
  if (name === 'key') return labels.get(value) ?? value;
  const { options, text } = FIELDS[name] ?? {};
  return options?.find(([option]) => option === value)?.[1] ?? text?.(value) ?? value;
}

interface QuickFilter {
  readonly title: string;
  readonly label: string;
  readonly name: string;
  readonly value: string;
}

const SLOW_MS = 10_000;
const COSTLY_USD = 0.05;
/** So many times the mean. */
const COSTLY = 4;

/** Slow is what only one call of twenty exceeds, costly four times the mean: of this time, and rounded. */
function quickFilters(figures: Statistics['total'] | undefined): readonly QuickFilter[] {
  const slow = String(Math.ceil(rounded(figures?.p95_ms || SLOW_MS)));
  const mean = figures === undefined ? 0 : Number(figures.cost) / Math.max(1, figures.calls);
  const costly = rounded(COSTLY * mean || COSTLY_USD)
    .toFixed(9)
    .replace(/\.?0+$/, '');
  return [
    { title: 'Failed', label: 'By the gateway or a provider (5xx)', name: 'status', value: '5' },
    { title: 'Refused', label: 'For what was asked, or for a limit (4xx)', name: 'status', value: '4' },
    { title: 'Rescued', label: 'Answered although an attempt failed', name: 'rescued', value: 'true' },
    {
      title: `Slow ≥ ${milliseconds(Number(slow))}`,
      label: 'About the slowest of twenty',
      name: 'min_duration_ms',
      value: slow,
    },
    { title: `Costly ≥ ${aboutUsd(costly)}`, label: 'About four times the mean', name: 'min_cost', value: costly },
  ];
}

/** To two digits. */
const rounded = (value: number) => Number(value.toPrecision(2));

interface AddFilterProps {
  readonly session: Session;
  readonly labels: KeyLabels;
  readonly onAdd: (part: Filters) => void;
}

function AddFilter({ session, labels, onAdd }: AddFilterProps) {
  const [name, setName] = useState('status');
  const [typed, setTyped] = useState('');
  const suggestions = useSuggestions(name, labels);
  const { label = '', options, hint } = FIELDS[name] ?? {};
  const names = Object.keys(FIELDS).filter((each) => each !== 'organization' || !onlyOrganization(session));
  const value = typed || (options?.[0]?.[0] ?? '');
  const isId = name === 'key' && labels.has(value);
  const [id = value] = name === 'key' && !isId ? idsOf(labels, value) : [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAdd({ [name]: id.trim() });
        setTyped('');
      }}
    >
      <Select
        label="Field"
        value={name}
        onValue={(chosen) => {
          setName(chosen);
          setTyped('');
        }}
        options={names.map((each) => [each, FIELDS[each]?.label ?? each])}
      />
      {options === undefined ? (
        <Field required label={label} value={typed} onValue={setTyped} suggestions={suggestions} hint={hint} />
      ) : (
        <Select label={label} value={value} onValue={setTyped} options={options} />
      )}
      <button type="submit" class="primary">
        Add
      </button>
    </form>
  );
}

function idsOf(labels: KeyLabels, label: string): readonly string[] {
  return [...labels].flatMap(([id, each]) => (each === label ? [id] : []));
}

/** The known values of a field, loaded when it is chosen. */
function useSuggestions(name: string, labels: KeyLabels): readonly string[] | undefined {
  const path = { organization: 'organizations', model: 'models', provider: 'models', attempted: 'models' }[name];
  const { data } = useLoad(path === undefined ? null : apiUrl(path), () =>
    getJson<Page<OrganizationView | Model>>(path ?? ''),
  );
  if (name === 'reason') return REASONS;
  if (name === 'key') return [...labels.values()];
  const values = data?.data.map((row) => (name !== 'model' && 'provider' in row ? row.provider : row.id));
  return values && [...new Set(values)].sort();
}
