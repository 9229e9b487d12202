import { useRef, useState } from 'preact/hooks';
import type { Model, OrganizationView, Page, Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { milliseconds, usd } from '../format.js';
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
  rescued: { label: 'Rescued', hint: 'true or false' },
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
}

/** Filters of one click. */
const QUICK = [
  { title: 'Failed', label: 'By the gateway or a provider (5xx)', name: 'status', value: '5' },
  { title: 'Refused', label: 'For what was asked, or for a limit (4xx)', name: 'status', value: '4' },
  { title: 'Rescued', label: 'Answered although an attempt failed', name: 'rescued', value: 'true' },
];

/** Quick filters, a chip for each other filter, and a form for more. */
export function FilterBar({ session, filters, labels }: FilterBarProps) {
  const { change } = useAddress();
  const box = useRef<HTMLDivElement>(null);
  const isQuick = (of: string, by: string) => QUICK.some(({ name, value }) => name === of && value === by);
  const chips = Object.entries(filters).filter(([name, value]) => !isQuick(name, value));
  return (
    <div ref={box} class="filters" role="group" aria-label="Filters">
      {QUICK.map(({ title, name, value, label }) => (
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
        <button
          key={name}
          type="button"
          class="chip on"
          aria-label={`Remove the filter ${textOf(name, value, labels)}`}
          onClick={() => {
            change({ [name]: '' });
            // The button is gone.
            box.current?.querySelector('summary')?.focus();
          }}
        >
          {textOf(name, value, labels)} <span aria-hidden="true">×</span>
        </button>
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
    </div>
  );
}

/** `Outcome: answered`. */
function textOf(name: string, value: string, labels: KeyLabels): string {
  const { label, options, text = String } = FIELDS[name] ?? {};
  const known = name === 'key' ? labels.get(value) : options?.find(([option]) => option === value)?.[1];
  return `${label}: ${known ?? text(value)}`;
}

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
  const [id = value] = [...labels].find(([, each]) => name === 'key' && each === value) ?? [];
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
