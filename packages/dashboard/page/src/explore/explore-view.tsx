import { useRef } from 'preact/hooks';
import type { Session, Statistics, StatisticsBy } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { useTimeRange } from '../time-range.js';
import { Select } from '../ui/field.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Report } from './explore-report.js';
import { LedgerFacts } from './ledger-facts.js';
import { type Choice, choiceOf, FIELDS, fieldsOf, isOfLedger, MEASURES } from './measures.js';

/** What was called over time, by a measure and at most two fields. */
export function ExploreView({ session }: { session: Session }) {
  const { params } = useAddress();
  const { since, until } = useTimeRange();
  const choice = choiceOf(params, session.has_requests);
  const { by, of, measure, filters } = choice;
  const query: Query = { by: by.join(','), of, measure, since, until, ...filters };
  const { data, error, isLoading, reload } = useLoad(apiUrl('statistics', query), () =>
    getJson<Statistics>('statistics', query),
  );
  return (
    <>
      <Controls session={session} choice={choice} csv={apiUrl('statistics.csv', query)} />
      <ErrorNotice error={error} onRetry={reload} />
      {measure === 'cost' && <LedgerFacts filters={filters} data={data} />}
      {data === undefined && isLoading && (
        <div class="explore-skeleton">
          <Skeleton what="the chart" />
          <Skeleton what="the table" />
        </div>
      )}
      {data !== undefined && error === undefined && (
        <div aria-busy={isLoading}>
          <Report statistics={data} choice={choice} />
        </div>
      )}
    </>
  );
}

function Controls({ session, choice, csv }: { session: Session; choice: Choice; csv: string }) {
  const { change } = useAddress();
  const { measure, of, filters } = choice;
  return (
    <div class="explore-controls">
      <Segments
        label="Measure"
        value={measure}
        options={Object.entries(MEASURES).map(([name, { title }]) => [name, title])}
        isOff={(name) => choice.isOfLedger && name !== 'cost' && name !== 'calls'}
        onValue={(name) => change({ measure: name })}
      />
      <Segments
        label="Counted"
        value={of}
        options={[
          ['calls', 'Calls'],
          ['attempts', 'Attempts'],
        ]}
        isOff={(name) => choice.isOfLedger && name === 'attempts'}
        onValue={(name) => change({ of: name })}
      />
      <div class="toolbar">
        <Splits session={session} choice={choice} />
        <OrganizationField
          session={session}
          value={filters.organization ?? ''}
          onChosen={(organization) => change({ organization })}
        />
        <a class="button" href={csv} download="">
          CSV
        </a>
      </div>
      <Chips choice={choice} isOfOne={onlyOrganization(session) !== undefined} />
    </div>
  );
}

interface SegmentsProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly isOff: (value: string) => boolean;
  readonly onValue: (value: string) => void;
}

function Segments({ label, value, options, isOff, onValue }: SegmentsProps) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          disabled={isOff(name)}
          onClick={() => onValue(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** The two fields; keys and tags stand alone. */
function Splits({ session, choice: { by, isOfLedger: isAlone } }: { session: Session; choice: Choice }) {
  const { change } = useAddress();
  const [first = '', second = ''] = by;
  const fields = fieldsOf(session.has_requests);
  const optionsOf = (names: readonly StatisticsBy[]) =>
    names.map((name) => [name, FIELDS[name].toLowerCase()] as const);
  const choose = (...names: readonly string[]) =>
    change({ by: names.filter((name) => name !== '').join(',') || 'none' });
  return (
    <>
      <Select
        label="Split by"
        value={first}
        onValue={(name) => choose(name, isOfLedger(name) || name === second ? '' : second)}
        options={[['', 'nothing'], ...optionsOf(fields)]}
      />
      {first !== '' && !isAlone && (
        <Select
          label="And by"
          value={second}
          onValue={(name) => choose(first, name)}
          options={[['', 'nothing'], ...optionsOf(fields.filter((name) => name !== first && !isOfLedger(name)))]}
        />
      )}
    </>
  );
}

/** The filters, each of which can be removed. */
function Chips({ choice: { filters }, isOfOne }: { choice: Choice; isOfOne: boolean }) {
  const { change } = useAddress();
  const box = useRef<HTMLDivElement>(null);
  const shown = Object.entries(filters).filter(([name]) => name !== 'organization' || !isOfOne);
  if (shown.length === 0) return null;
  return (
    <div ref={box} class="chips" role="group" aria-label="Filters">
      {shown.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class="chip"
          title={value}
          aria-label={`Remove the filter ${name} ${value}`}
          onClick={() => {
            // The chip is gone.
            box.current?.parentElement?.querySelector('select')?.focus();
            change({ [name]: '' });
          }}
        >
          <span class="cut">{`${name}: ${value}`}</span> ×
        </button>
      ))}
    </div>
  );
}
