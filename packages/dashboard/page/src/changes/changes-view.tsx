import { useState } from 'preact/hooks';
import type { ChangeRow, Session } from '../../../src/api/contract.js';
import { useAddress } from '../address.js';
import { minute, sinceHours } from '../format.js';
import { type Column, LoadedTable, MoreButton } from '../ui/data-table.js';
import { Dialog } from '../ui/dialog.js';
import { SearchField, Select } from '../ui/field.js';
import { OrganizationField } from '../ui/organization-field.js';
import { Cut, Empty } from '../ui/parts.js';
import { usePages } from '../use-load.js';

const RANGES = [
  ['', 'all'],
  ['24', 'last day'],
  ['168', 'last 7 days'],
  ['720', 'last 30 days'],
] as const;

/** Who changed what, newest first. */
export function ChangesView({ session }: { session: Session }) {
  if (session.has_changes) return <RecordedChanges session={session} />;
  return (
    <Empty>
      Changes are not recorded. Give the administration a record with <code>{'auditLog: ledger.changes'}</code>.
    </Empty>
  );
}

function RecordedChanges({ session }: { session: Session }) {
  const { params, change } = useAddress();
  const { organization = '', actor = '', hours = '' } = params;
  const [since, setSince] = useState(() => sinceHours(hours));
  const [opened, setOpened] = useState<ChangeRow>();
  const pages = usePages<ChangeRow>('changes', { organization, actor, since });
  return (
    <>
      <div class="toolbar">
        <Select
          label="Time"
          value={hours}
          onValue={(value) => {
            setSince(sinceHours(value));
            change({ hours: value });
          }}
          options={RANGES}
        />
        <SearchField label="Actor" value={actor} onSearch={(value) => change({ actor: value })} placeholder="all" />
        <OrganizationField
          session={session}
          value={organization}
          onChosen={(value) => change({ organization: value })}
        />
      </div>
      <LoadedTable
        loaded={pages}
        caption="Changes, newest first"
        columns={[timeColumn(setOpened), ...COLUMNS]}
        rowKey={({ id }) => id}
        empty="No change fits. Changes of keys and organizations appear here; widen the filters."
      />
      <MoreButton pages={pages} />
      {opened !== undefined && <ChangeDialog row={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** The time of a change, which opens all its details. */
function timeColumn(onOpen: (row: ChangeRow) => void): Column<ChangeRow> {
  const cell = (row: ChangeRow) => (
    <button type="button" class="link" onClick={() => onOpen(row)}>
      {minute(row.at)}
    </button>
  );
  return { title: 'Time (UTC)', cell };
}

const COLUMNS: readonly Column<ChangeRow>[] = [
  { title: 'Actor', cell: ({ actor }) => <Cut>{actor}</Cut> },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Outcome', cell: ({ outcome }) => <span class={outcome === 'made' ? 'good' : 'bad'}>{outcome}</span> },
  { title: 'Organization', cell: ({ organization_id }) => <Cut>{organization_id}</Cut> },
  { title: 'Key', cell: ({ key_id }) => <Cut>{key_id ?? '–'}</Cut> },
  { title: 'Before → after', cell: (row) => <Cut>{differences(row)}</Cut> },
];

/** The fields that differ, such as `limit: 5 → 7`; of a change without a record before, what was given. */
function differences({ before, after, given }: ChangeRow): string {
  if (before === null || after === null)
    return fieldsOf(given)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ');
  const old = new Map(fieldsOf(before));
  return fieldsOf(after)
    .filter(([name, value]) => old.get(name) !== value)
    .map(([name, value]) => `${name}: ${old.get(name) ?? 'none'} → ${value}`)
    .join(', ');
}

function fieldsOf(record: object): (readonly [name: string, value: string])[] {
  return Object.entries(record).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

function ChangeDialog({ row, onClose }: { row: ChangeRow; onClose: () => void }) {
  return (
    <Dialog title={`${row.action} by ${row.actor}`} onClose={onClose}>
      <pre tabIndex={0}>{JSON.stringify(row, null, 2)}</pre>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
