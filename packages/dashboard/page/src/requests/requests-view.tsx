import { useEffect, useState } from 'preact/hooks';
import type { FailureCodes, LoggedAttempt, RequestRow, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { apiUrl, getJson, type Query } from '../api.js';
import { count, milliseconds, sinceHours, timeOfDay, usd } from '../format.js';
import { type Column, DataTable, LoadedTable, MoreButton } from '../ui/data-table.js';
import { Dialog } from '../ui/dialog.js';
import { Field, Select } from '../ui/field.js';
import { OrganizationField } from '../ui/organization-field.js';
import { Cut, Empty, ErrorNotice, Money } from '../ui/parts.js';
import { useLoad, usePages } from '../use-load.js';

const REFRESH_MS = 5_000;

/** The length of each range up to now, in hours. */
const RANGES = [
  ['', 'all'],
  ['1', 'last hour'],
  ['24', 'last day'],
  ['168', 'last 7 days'],
] as const;

const OUTCOMES = [
  ['', 'all'],
  ['2', 'answered'],
  ['4', 'refused (4xx)'],
  ['402', 'no money (402)'],
  ['5', 'failed (5xx)'],
] as const;

/** Filters that are typed, by the name of their parameter. */
const TYPED = {
  id: 'Id of request or answer',
  key: 'Key',
  model: 'Model',
  provider: 'Provider',
  attempted: 'Asked provider',
  reason: 'Reason',
  tag: 'Tag',
  budget: 'Budget',
  min_cost: 'Least cost in USD',
  min_duration_ms: 'Least duration in ms',
  min_attempts: 'Least attempts',
};

const RESCUED = [
  ['', 'all'],
  ['true', 'rescued'],
  ['false', 'not rescued'],
] as const;

/** The calls in the request log, newest first. */
export function RequestsView({ session }: { session: Session }) {
  if (!session.has_requests) {
    return (
      <Empty>
        There is no request log. Give the gateway one with <code>requestLog: {'{ log: ledger.requests }'}</code>, and
        the administration the same log.
      </Empty>
    );
  }
  return <LoggedRequests session={session} />;
}

function LoggedRequests({ session }: { session: Session }) {
  const { params: filters, change } = useAddress();
  const [opened, setOpened] = useState<RequestRow>();
  return (
    <>
      <div class="toolbar">
        <Select label="Time" value={filters['hours'] ?? ''} onValue={(hours) => change({ hours })} options={RANGES} />
        <Select
          label="Outcome"
          value={filters['status'] ?? ''}
          onValue={(status) => change({ status })}
          options={OUTCOMES}
        />
        <Select
          label="After a failure"
          value={filters['rescued'] ?? ''}
          onValue={(rescued) => change({ rescued })}
          options={RESCUED}
        />
        <OrganizationField
          session={session}
          value={filters['organization'] ?? ''}
          onChosen={(organization) => change({ organization })}
        />
        <a class="button" href={apiUrl('requests.csv', queryOf({ ...filters, id: '' }))} download="">
          CSV
        </a>
      </div>
      <TypedFilters filters={filters} onChange={change} />
      <RequestList filters={filters} onOpen={setOpened} />
      {opened !== undefined && <Attempts row={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

interface FiltersProps {
  readonly filters: Readonly<Record<string, string>>;
  readonly onChange: (part: Record<string, string>) => void;
}

function TypedFilters({ filters, onChange }: FiltersProps) {
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.keys(TYPED).map((name) => [name, filters[name] ?? ''])),
  );
  const used = Object.values(typed).filter((value) => value !== '').length;
  return (
    <details open={used > 0}>
      <summary>{used === 0 ? 'More filters' : `More filters · ${used}`}</summary>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          onChange(Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value.trim()])));
        }}
      >
        {Object.entries(TYPED).map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={typed[name] ?? ''}
            onValue={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
        <button type="submit">Filter</button>
      </form>
    </details>
  );
}

interface ListProps {
  readonly filters: Readonly<Record<string, string>>;
  readonly onOpen: (row: RequestRow) => void;
}

function queryOf({ hours = '', ...rest }: Readonly<Record<string, string>>, nowMs = Date.now()): Query {
  return { ...rest, since: sinceHours(hours, nowMs) };
}

function RequestList({ filters, onOpen }: ListProps) {
  const [nowMs, setNowMs] = useState(Date.now);
  const { hours = '' } = filters;
  const query = queryOf(filters, nowMs);
  const pages = usePages<RequestRow>('requests', query);
  const { data, reload } = pages;
  const isFirstPage = (data?.data.length ?? 0) <= PAGE;
  useEffect(() => {
    // Later pages would be lost.
    if (!isFirstPage) return undefined;
    const follow = () => document.visibilityState === 'visible' && (hours === '' ? reload() : setNowMs(Date.now()));
    const timer = setInterval(follow, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isFirstPage, hours, reload]);
  return (
    <>
      <LoadedTable
        loaded={pages}
        caption={`${count(data?.data.length ?? 0)} requests, newest first`}
        columns={[timeColumn(onOpen), ...COLUMNS]}
        rowKey={({ request_id }) => request_id}
        empty={
          data?.next_cursor === null
            ? 'No request fits. Widen the filters, or ask something in the playground.'
            : 'No request fits among the newest. Older ones follow.'
        }
      />
      <MoreButton pages={pages} />
    </>
  );
}

/** The time of a call, which opens its attempts. */
function timeColumn(onOpen: (row: RequestRow) => void): Column<RequestRow> {
  const cell = (row: RequestRow) => {
    const time = `${row.at.slice(5, 10)} ${timeOfDay(row.at)}`;
    const label = `${time}, attempts of ${row.request_id}`;
    return (
      <button type="button" class="link" aria-label={label} onClick={() => onOpen(row)}>
        <time dateTime={row.at}>{time}</time>
      </button>
    );
  };
  return { title: 'Time (UTC)', cell };
}

/** What the server gives at once. */
const PAGE = 100;

const COLUMNS: readonly Column<RequestRow>[] = [
  { title: 'Status', cell: (row) => <Status row={row} /> },
  { title: 'Cost', cell: ({ cost }) => (cost === null ? '–' : <Money amount={cost} />), isNumber: true },
  { title: 'Duration', cell: ({ duration_ms }) => milliseconds(duration_ms), isNumber: true },
  { title: 'Endpoint', cell: ({ endpoint }) => endpoint },
  {
    title: 'Model',
    cell: ({ model, model_asked, byok, rescued }) => (
      <>
        <Cut>{model ?? model_asked ?? '–'}</Cut> {byok && <small class="hint">own key</small>}{' '}
        {rescued && <small class="hint">rescued</small>}
      </>
    ),
  },
  { title: 'Organization', cell: ({ organization_id }) => <Cut>{organization_id}</Cut> },
  { title: 'Key', cell: ({ key_id }) => <Cut href={linkToKey(key_id)}>{key_id}</Cut> },
  { title: 'Tag', cell: ({ tag }) => <Cut>{tag ?? '–'}</Cut> },
  { title: 'Budgets', cell: ({ budgets }) => <Cut>{budgets.join(' ') || '–'}</Cut> },
];

/** Keys of the host have no page. */
const linkToKey = (id: string) => (id.startsWith('sg_') ? linkTo('keys', { key: id }) : undefined);

function Status({ row: { status, reason } }: { row: RequestRow }) {
  return (
    <span class={status < 400 ? 'good' : 'bad'}>
      <Cut>{reason === null ? String(status) : `${status} ${reason}`}</Cut>
    </span>
  );
}

const ATTEMPTS: readonly Column<LoggedAttempt>[] = [
  {
    title: 'Model',
    cell: ({ model, key, part }) => (
      <>
        {key === undefined ? model : `${model} (${key})`} {part && <small class="hint">part</small>}
      </>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => <span class={outcome === 'answered' ? 'good' : 'bad'}>{outcome}</span> },
  { title: 'Cause', cell: (attempt) => causeText(attempt) },
  { title: 'Duration', cell: ({ duration_ms }) => milliseconds(duration_ms), isNumber: true },
  { title: 'Cost', cell: ({ cost }) => (cost === null ? '–' : usd(cost)), isNumber: true },
];

/** How far a failed attempt came, and the codes that tell why. */
function causeText({ phase, upstream_status, code }: FailureCodes): string {
  const known = [phase, upstream_status, code].filter((part) => part !== null);
  return phase === null ? '–' : known.join(' ');
}

/** A call with its ids, its money and its attempts. */
function Attempts({ row, onClose }: { row: RequestRow; onClose: () => void }) {
  const path = `requests/${encodeURIComponent(row.request_id)}`;
  const { data, error, reload } = useLoad(apiUrl(path), () =>
    getJson<RequestRow & { readonly attempts: readonly LoggedAttempt[] }>(path),
  );
  return (
    <Dialog title="A request and its attempts" onClose={onClose}>
      <p>
        Request <code>{row.request_id}</code>
        {row.answer_id !== null && (
          <>
            , answer <code>{row.answer_id}</code>
          </>
        )}
      </p>
      <p>
        Charged {row.cost === null ? 'nothing' : usd(row.cost)}
        {row.byok && ' as the fee for a call with its own provider key'}, owed to providers{' '}
        {row.upstream_cost === null ? 'an unknown amount' : usd(row.upstream_cost)}, lost {usd(row.loss)}.{' '}
        {milliseconds(row.upstream_ms)} of {milliseconds(row.duration_ms)} at providers.
      </p>
      {row.budgets.length > 0 && <p>Budgets: {row.budgets.join(' ')}</p>}
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && data.attempts.length === 0 && <Empty>No provider was asked.</Empty>}
      {data !== undefined && data.attempts.length > 0 && (
        <DataTable
          caption="Attempts, in their order, with reported costs; of parts of an answer, what was charged"
          columns={ATTEMPTS}
          rows={data.attempts}
          rowKey={(attempt) => String(data.attempts.indexOf(attempt))}
        />
      )}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
