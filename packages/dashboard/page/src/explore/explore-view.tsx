import type { Session, Statistics, StatisticsBy } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { useTimeRange } from '../time-range.js';
import { Select } from '../ui/field.js';
import { OrganizationField } from '../ui/organization-field.js';
import { ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Report } from './explore-report.js';
import { type Choice, choiceOf, FIELDS, fieldsOf, isOfLedger, MEASURES, measuresOf } from './measures.js';

/** What was called over time, by a measure and at most two fields. */
export function ExploreView({ session }: { session: Session }) {
  const { params } = useAddress();
  const { since, until } = useTimeRange();
  const choice = choiceOf(params, session.has_requests);
  const { by, of, measure, organization } = choice;
  const query: Query = { by: by.join(','), of, measure, since, until, organization };
  const { data, error, isLoading, reload } = useLoad(apiUrl('statistics', query), () =>
    getJson<Statistics>('statistics', query),
  );
  return (
    <>
      <Controls session={session} choice={choice} csv={apiUrl('statistics.csv', query)} />
      <ErrorNotice error={error} onRetry={reload} />
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
  return (
    <div class="toolbar">
      <Select
        label="Measure"
        value={choice.measure}
        options={measuresOf(choice.isOfLedger).map((name) => [name, MEASURES[name].title])}
        onValue={(measure) => change({ measure })}
      />
      {!choice.isOfLedger && (
        <Select
          label="Of"
          value={choice.of}
          options={[
            ['calls', 'calls'],
            ['attempts', 'attempts'],
          ]}
          onValue={(of) => change({ of })}
        />
      )}
      <Splits session={session} choice={choice} />
      <OrganizationField
        session={session}
        value={choice.organization ?? ''}
        onChosen={(organization) => change({ organization })}
      />
      <a class="button" href={csv} download="">
        CSV
      </a>
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
