import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OrganizationView, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { getJson } from '../api.js';
import { minute, plural } from '../format.js';
import { DomainsText } from '../keys/domain-fields.js';
import { limitsText } from '../keys/limit-fields.js';
import { sharedParams } from '../time-range.js';
import { onlyOrganization } from '../ui/organization-field.js';
import { ErrorNotice, Fact, Money, Skeleton, Tile, Tiles } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Budgets } from './budgets.js';
import { GrantDialog, LimitsDialog, SuspendDialog } from './organization-dialogs.js';
import { OrganizationList, OrganizationState } from './organization-list.js';
import { TenantKeys } from './tenant-keys.js';

interface PageProps {
  readonly id: string;
  readonly session: Session;
}

/** All organizations, or the page of the one in the address. */
export function OrganizationsView({ session }: { session: Session }) {
  const { organization = onlyOrganization(session) } = useAddress().params;
  if (organization === undefined) return <OrganizationList session={session} />;
  return <OrganizationPage key={organization} id={organization} session={session} />;
}

/** An organization by itself: its money, limits, budgets and own keys, and the ways to its keys and calls. */
function OrganizationPage({ id, session }: PageProps) {
  const path = `organizations/${encodeURIComponent(id)}`;
  const { data, error, reload, replace } = useLoad(path, () => getJson<OrganizationView>(path));
  const { has_keys, tenant_key_providers: providers } = session;
  return (
    <>
      <Links id={id} session={session} keys={data?.keys ?? null} />
      <div class="title-row">
        <h2>{data?.name ?? id}</h2>
        {session.role === 'operator' && <Actions target={data} session={session} onChange={replace} />}
      </div>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Skeleton what="the organization" tiles={5} />}
      {data !== undefined && (
        <>
          <BalanceTiles organization={data} />
          <Facts organization={data} hasKeys={has_keys} />
          {has_keys && (
            <Part title="Budgets">
              <Budgets organization={id} session={session} />
            </Part>
          )}
          {providers && (
            <Part title="Own provider keys">
              <TenantKeys
                organization={id}
                mayChange={session.role === 'tenant' || session.role === 'operator'}
                providers={providers}
              />
            </Part>
          )}
        </>
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Links({ id, session, keys }: PageProps & { keys: number | null }) {
  const { params } = useAddress();
  const of = { ...sharedParams(params), organization: id };
  return (
    <p class="links">
      {onlyOrganization(session) === undefined && <a href={linkTo('organizations')}>All organizations</a>}
      {session.has_keys && <a href={linkTo('keys', of)}>{keys === null ? 'Its keys' : plural(keys, 'key')}</a>}
      {session.has_requests && <a href={linkTo('requests', of)}>Its requests</a>}
      <a href={linkTo('explore', { ...of, by: session.has_keys ? null : 'key' })}>Explore its usage</a>
    </p>
  );
}

/** The money of an organization. */
function BalanceTiles({ organization }: { organization: OrganizationView }) {
  const { balance, held, credits, usage, spent_this_month, operator_pays } = organization;
  return (
    <Tiles>
      {operator_pays ? (
        <Tile name="Balance" note="calls need no credits">
          operator pays
        </Tile>
      ) : (
        <Tile name="Balance" note={balance.startsWith('-') ? 'overdrawn: calls are refused' : 'granted − used'}>
          <Money amount={balance} />
        </Tile>
      )}
      <Tile name="This month" note="since its first day">
        <Money amount={spent_this_month} />
      </Tile>
      <Tile name="Held" note="for requests in flight">
        <Money amount={held} />
      </Tile>
      <Tile name="Granted" note="in all">
        <Money amount={credits} />
      </Tile>
      <Tile name="Used" note="in all">
        <Money amount={usage} />
      </Tile>
    </Tiles>
  );
}

function Facts({ organization, hasKeys }: { organization: OrganizationView; hasKeys: boolean }) {
  const { id, created_at, last_used_at, domains } = organization;
  return (
    <dl class="facts">
      <Fact name="Id">
        <code>{id}</code>
      </Fact>
      <Fact name="Last use (UTC)">{last_used_at === null ? 'not in the log' : minute(last_used_at)}</Fact>
      {hasKeys && (
        <>
          <Fact name="State">
            <OrganizationState of={organization} />
          </Fact>
          <Fact name="Limits">{limitsText(organization)}</Fact>
          <Fact name="Domains">
            <DomainsText domains={domains} />
          </Fact>
          <Fact name="Created (UTC)">{created_at === null ? '–' : minute(created_at)}</Fact>
        </>
      )}
    </dl>
  );
}

const DIALOGS = { grant: GrantDialog, limits: LimitsDialog, suspend: SuspendDialog } as const;
type DialogName = keyof typeof DIALOGS;

interface ActionsProps {
  /** `undefined` while it is loading: the buttons hold their place. */
  readonly target: OrganizationView | undefined;
  readonly session: Session;
  readonly onChange: (changed: OrganizationView) => void;
}

/** Where the host manages organizations, credits alone can be changed. */
function Actions({ target, session, onChange }: ActionsProps) {
  const [open, setOpen] = useState<DialogName>();
  const OpenDialog = open && DIALOGS[open];
  const names: Readonly<Partial<Record<DialogName, string>>> = session.has_keys
    ? { grant: 'Grant credits', limits: 'Set limits', suspend: target?.suspended_at ? 'Resume' : 'Suspend' }
    : { grant: 'Grant credits' };
  const onDone = (changed: OrganizationView) => {
    setOpen(undefined);
    onChange(changed);
  };
  return (
    <div class="buttons">
      {Object.entries(names).map(([name, title]) => (
        <button key={name} type="button" disabled={!target} onClick={() => setOpen(name as DialogName)}>
          {title}
        </button>
      ))}
      {OpenDialog && target && <OpenDialog {...{ target, session, onDone }} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
