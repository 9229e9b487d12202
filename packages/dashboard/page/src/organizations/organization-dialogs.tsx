import { useState } from 'preact/hooks';
import type { OrganizationView, Session } from '../../../src/api/contract.js';
import { sendJson } from '../api.js';
import { usd } from '../format.js';
import { DomainFields, domainTexts, readDomains } from '../keys/domain-fields.js';
import { LimitFields, limitTexts, readLimits } from '../keys/limit-fields.js';
import { ActionDialog, ConfirmDialog } from '../ui/dialog.js';
import { AmountField, Field } from '../ui/field.js';

interface CreateProps {
  readonly onDone: (organization: OrganizationView) => void;
  readonly onClose: () => void;
}

export interface OrganizationDialogProps extends CreateProps {
  readonly target: OrganizationView;
  readonly session: Session;
}

export function CreateOrganizationDialog({ onDone, onClose }: CreateProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const create = async () =>
    onDone(
      await sendJson<OrganizationView>('POST', 'organizations', { id: id.trim(), ...(name === '' ? {} : { name }) }),
    );
  return (
    <ActionDialog title="Create an organization" action="Create" onAction={create} onClose={onClose}>
      <div class="grid">
        <Field label="Id" required value={id} onValue={setId} hint="It cannot be changed later" />
        <Field label="Name" value={name} onValue={setName} hint="For people; may be empty" />
      </div>
    </ActionDialog>
  );
}

export function GrantDialog({ target, onDone, onClose }: OrganizationDialogProps) {
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  // One id per dialog: a grant sent again after an error is written once.
  const [grant_id] = useState(randomId);
  const grant = async () => {
    const body = { amount, grant_id, ...(note === '' ? {} : { note }) };
    onDone(await sendJson<OrganizationView>('POST', path(target, 'grant'), body));
  };
  return (
    <ActionDialog title={`Grant credits to ${target.id}`} action="Grant" onAction={grant} onClose={onClose}>
      <div class="grid">
        <AmountField
          label="Amount in USD"
          required
          value={amount}
          onValue={setAmount}
          hint={`Such as 25.00; the balance is ${usd(target.balance)}`}
        />
        <Field label="Note" maxLength={200} value={note} onValue={setNote} hint="Such as the number of an invoice" />
      </div>
    </ActionDialog>
  );
}

export function LimitsDialog({ target, session, onDone, onClose }: OrganizationDialogProps) {
  const [texts, setTexts] = useState(() => ({ ...limitTexts(target), ...domainTexts(target.domains) }));
  const maySetDomains = session.organizations === 'all';
  const [operator_pays, setOperatorPays] = useState(target.operator_pays);
  const save = async () => {
    const domains = maySetDomains && { domains: readDomains(texts) };
    const change = { ...readLimits(texts), operator_pays, ...domains };
    onDone(await sendJson<OrganizationView>('POST', path(target, 'update'), change));
  };
  return (
    <ActionDialog title={`Limits of ${target.id}`} action="Save" onAction={save} onClose={onClose}>
      <p>All keys of the organization share them.</p>
      <div class="grid">
        <LimitFields texts={texts} onTexts={(limits) => setTexts({ ...texts, ...limits })} />
        {maySetDomains && <DomainFields texts={texts} onTexts={(domains) => setTexts({ ...texts, ...domains })} />}
      </div>
      <label>
        <input
          type="checkbox"
          checked={operator_pays}
          onChange={(event) => setOperatorPays(event.currentTarget.checked)}
        />{' '}
        The operator pays: calls need no credits
      </label>
    </ActionDialog>
  );
}

export function SuspendDialog({ target, ...dialog }: OrganizationDialogProps) {
  const isSuspended = target.suspended_at !== null;
  const action = isSuspended ? 'Resume' : 'Suspend';
  return (
    <ConfirmDialog<OrganizationView>
      {...dialog}
      path={path(target, action.toLowerCase())}
      title={`${action} ${target.id}?`}
      action={action}
      isDangerous={!isSuspended}
    >
      {isSuspended ? 'Its keys work again at once.' : 'Requests with its keys are refused until it is resumed.'}
    </ConfirmDialog>
  );
}

function path({ id }: OrganizationView, action: string): string {
  return `organizations/${encodeURIComponent(id)}/${action}`;
}

/** Not `crypto.randomUUID`, which is missing on pages without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
