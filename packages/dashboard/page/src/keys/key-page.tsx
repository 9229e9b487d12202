import { useState } from 'preact/hooks';
import type { KeyRow, Session, UsageLine, UsageTable } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { apiUrl, getJson } from '../api.js';
import { count, minute, shortUsd, utcDay } from '../format.js';
import { rangeParams, sharedParams } from '../time-range.js';
import { type Column, LoadedTable } from '../ui/data-table.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { ErrorNotice, Fact, Limit, Money, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { TimeChart } from '../ui/time-chart.js';
import { useLoad } from '../use-load.js';
import { DomainsText } from './domain-fields.js';
import { KeyDialog, type OpenKeyDialog } from './key-dialogs.js';
import { KeyActions, KeyState, KeysSection } from './keys-section.js';
import { limitsText } from './limit-fields.js';

const DAYS = 30;
const DAY_MS = 86_400_000;

/** The keys, or the page of the key in the address. */
export function KeysView({ session }: { session: Session }) {
  const { key, organization = onlyOrganization(session) ?? '' } = useAddress().params;
  if (key !== undefined) return <KeyPage key={key} id={key} session={session} />;
  return <KeysSection session={session} organization={organization} />;
}

/** A key by itself: its state and limits, its spending by day and by model, and the way to its requests. */
function KeyPage({ id, session }: { id: string; session: Session }) {
  const { params } = useAddress();
  const path = `keys/${encodeURIComponent(id)}`;
  const { data, error, reload, replace } = useLoad(path, () => getJson<KeyRow>(path));
  return (
    <>
      <p class="links">
        <a href={linkTo('keys', { organization: data?.organization_id })}>
          {data === undefined ? 'All keys' : `Keys of ${data.organization_id}`}
        </a>
        <a href={linkTo('requests', { ...sharedParams(params), key: id })}>Requests of this key</a>
      </p>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Skeleton what="the key" tiles={4} />}
      {data !== undefined && <KeyDetails target={data} session={session} onChange={replace} />}
      <KeySpending id={id} />
    </>
  );
}

interface KeyDetailsProps {
  readonly target: KeyRow;
  readonly session: Session;
  readonly onChange: (key: KeyRow) => void;
}

function KeyDetails({ target, session, onChange }: KeyDetailsProps) {
  const [open, setOpen] = useState<OpenKeyDialog>();
  const { label, usage, held, limit, limit_reset, last_used_at, created_at, expires_at, allowed_models } = target;
  return (
    <>
      <div class="title-row">
        <h2>{label}</h2>
        {session.role === 'operator' && <KeyActions target={target} onOpen={setOpen} />}
      </div>
      <Tiles>
        <Tile name="Used" note={limit_reset === null ? null : `started over ${limit_reset}`}>
          <Money amount={usage} />
        </Tile>
        <Tile name="Limit">
          <Limit limit={limit} reset={limit_reset} />
        </Tile>
        <Tile name="Held" note="for requests in flight">
          <Money amount={held} />
        </Tile>
        <Tile name="Last used" note="UTC">
          {last_used_at === null ? '–' : minute(last_used_at)}
        </Tile>
      </Tiles>
      <dl class="facts">
        <Fact name="State">
          <KeyState of={target} />
        </Fact>
        <Fact name="Id">
          <code>{target.id}</code>
        </Fact>
        <Fact name="Organization">
          <a href={linkTo('organizations', { organization: target.organization_id })}>{target.organization_id}</a>
        </Fact>
        <Fact name="Budgets">
          <Budgets of={target} />
        </Fact>
        <Fact name="Rate">{limitsText(target)}</Fact>
        <Fact name="Models">{allowed_models?.join(', ') ?? 'all'}</Fact>
        <Fact name="Domains">
          <DomainsText domains={target.domains} />
        </Fact>
        <Fact name="Created (UTC)">{minute(created_at)}</Fact>
        <Fact name="Expires (UTC)">{expires_at === null ? 'never' : minute(expires_at)}</Fact>
      </dl>
      <KeyDialog open={open} onClose={() => setOpen(undefined)} onChange={onChange} />
    </>
  );
}

/** Its organization shows them. */
function Budgets({ of: { budgets, organization_id } }: { of: KeyRow }) {
  if (budgets.length === 0) return 'none';
  return <a href={linkTo('organizations', { organization: organization_id })}>{budgets.join(' ')}</a>;
}

const MODEL_COLUMNS: readonly Column<UsageLine>[] = [
  { title: 'Model', cell: ({ group }) => group ?? 'none' },
  { title: 'Requests', cell: ({ requests }) => count(requests), isNumber: true },
  { title: 'Charged', cell: ({ charged }) => <Money amount={charged} />, isNumber: true },
];

function KeySpending({ id }: { id: string }) {
  const query = { key: id, from: utcDay(new Date(), 1 - DAYS) };
  const read = (by: string) => () => getJson<UsageTable>('usage', { ...query, by });
  const days = useLoad(apiUrl('usage', { ...query, by: 'day' }), read('day'));
  const models = useLoad(apiUrl('usage', { ...query, by: 'model' }), read('model'));
  return (
    <>
      <ErrorNotice error={days.error} onRetry={days.reload} />
      {days.data !== undefined && days.data.total.requests > 0 && (
        <TimeChart
          label="Chart: charged by day for this key"
          times={days.data.data.map(({ group }) => Date.parse(group ?? ''))}
          stepMs={DAY_MS}
          shape="bars"
          format={(value) => shortUsd(String(value))}
          onChosen={(sinceMs, untilMs) => {
            location.hash = linkTo('requests', { ...rangeParams(sinceMs, untilMs), key: id });
          }}
          series={[
            { name: 'Charged', values: days.data.data.map(({ charged }) => Number(charged)), color: 'series-1' },
          ]}
        />
      )}
      <LoadedTable
        loaded={models}
        caption={`By model in the last ${DAYS} days, in USD`}
        columns={MODEL_COLUMNS}
        rowKey={({ group }) => group ?? ''}
        empty={`Nothing was used in the last ${DAYS} days.`}
      />
    </>
  );
}
