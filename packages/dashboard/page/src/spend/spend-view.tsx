import { useState } from 'preact/hooks';
import type { Session, UsageTable } from '../../../src/api/contract.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { utcDay } from '../format.js';
import { Field, Select } from '../ui/field.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { OrganizationField, onlyOrganization } from '../ui/organization-field.js';
import { useLoad } from '../use-load.js';
import { Balance } from './balance.js';
import { UsageReport } from './usage-report.js';

interface Choice {
  readonly by: UsageTable['by'];
  readonly organization: string;
  /** First and last day, UTC. */
  readonly from: string;
  readonly to: string;
}

const GROUPINGS = [
  ['day', 'day'],
  ['model', 'model'],
  ['key', 'key'],
  ['tag', 'tag'],
  ['organization', 'organization'],
] as const;

/** Days of each range up to today. */
const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
] as const;

export function SpendView({ session }: { session: Session }) {
  const [choice, setChoice] = useState<Choice>(() => ({
    by: 'day',
    organization: onlyOrganization(session) ?? '',
    ...lastDays(30),
  }));
  const query: Query = { ...choice };
  const usage = useLoad(apiUrl('usage', query), () => getJson<UsageTable>('usage', query));
  return (
    <>
      <ChoiceForm session={session} choice={choice} onChoice={setChoice} />
      {choice.organization === '' ? (
        <p class="hint">Choose an organization to see its balance.</p>
      ) : (
        <Balance organization={choice.organization} />
      )}
      <ErrorNotice error={usage.error} onRetry={usage.reload} />
      {usage.data === undefined && usage.isLoading && <Loading what="the usage" />}
      {usage.data !== undefined && (
        <div aria-busy={usage.isLoading}>
          <UsageReport table={usage.data} />
          <p>
            <a href={apiUrl('usage.csv', query)} download="">
              Download as CSV
            </a>
          </p>
        </div>
      )}
    </>
  );
}

interface ChoiceFormProps {
  readonly session: Session;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

function ChoiceForm({ session, choice, onChoice }: ChoiceFormProps) {
  const change = (part: Partial<Choice>) => onChoice({ ...choice, ...part });
  const range = RANGES.find(
    ([days]) => lastDays(Number(days)).from === choice.from && choice.to === utcDay(new Date()),
  );
  return (
    <div class="toolbar">
      <Select
        label="By"
        value={choice.by}
        onValue={(by) => change({ by: by as UsageTable['by'] })}
        options={GROUPINGS}
      />
      <Select
        label="Range"
        value={range?.[0] ?? ''}
        onValue={(days) => days !== '' && change(lastDays(Number(days)))}
        options={range === undefined ? [['', 'chosen'], ...RANGES] : RANGES}
      />
      <Field
        label="From"
        type="date"
        value={choice.from}
        max={choice.to}
        onValue={(from) => from && change({ from })}
      />
      <Field label="To" type="date" value={choice.to} min={choice.from} onValue={(to) => to && change({ to })} />
      <OrganizationField
        session={session}
        value={choice.organization}
        onChosen={(organization) => change({ organization })}
      />
    </div>
  );
}

function lastDays(days: number): Pick<Choice, 'from' | 'to'> {
  const today = new Date();
  return { from: utcDay(today, 1 - days), to: utcDay(today) };
}
