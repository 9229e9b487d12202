import type { KeyChange, KeyRow, Model, Page } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { CheckList } from '../ui/check-list.js';
import { AmountField, Field, type FieldsProps, Select } from '../ui/field.js';
import { useLoad } from '../use-load.js';
import { DomainFields, type DomainTexts, domainTexts, readDomains } from './domain-fields.js';
import { LimitFields, type LimitTexts, limitTexts, readLimits } from './limit-fields.js';

/** The settings of a key as typed. */
export interface KeyTexts extends LimitTexts, DomainTexts {
  readonly label: string;
  /** Decimal USD; empty for no limit. */
  readonly limit: string;
  readonly limit_reset: NonNullable<KeyRow['limit_reset']> | '';
  /** Empty for all models. */
  readonly allowed_models: readonly string[];
  /** Ids, separated by spaces; empty for none. */
  readonly budgets: string;
  /** `2026-12-01T00:00`, UTC; empty for never. */
  readonly expires_at: string;
}

export function keyTexts(key?: KeyRow): KeyTexts {
  return {
    ...limitTexts(key),
    ...domainTexts(key?.domains),
    label: key?.label ?? '',
    limit: key?.limit ?? '',
    limit_reset: key?.limit_reset ?? '',
    allowed_models: key?.allowed_models ?? [],
    budgets: key?.budgets.join(' ') ?? '',
    expires_at: key?.expires_at?.slice(0, 16) ?? '',
  };
}

export function readKey(texts: KeyTexts): KeyChange & { readonly label: string } {
  return {
    ...readLimits(texts),
    label: texts.label,
    limit: texts.limit === '' ? null : texts.limit,
    limit_reset: texts.limit === '' || texts.limit_reset === '' ? null : texts.limit_reset,
    allowed_models: texts.allowed_models.length === 0 ? null : texts.allowed_models,
    // Ids may have commas, and no spaces.
    budgets: texts.budgets.split(/\s+/).filter(Boolean),
    domains: readDomains(texts),
    expires_at: texts.expires_at === '' ? null : `${texts.expires_at}:00.000Z`,
  };
}

export const RESETS = [
  ['', 'never'],
  ['daily', 'every day'],
  ['weekly', 'every week'],
  ['monthly', 'every month'],
] as const;

export function KeyFields({ texts, onTexts }: FieldsProps<KeyTexts>) {
  const models = useLoad('models', () => getJson<Page<Model>>('models'));
  const set = (name: keyof KeyTexts) => (value: string) => onTexts({ ...texts, [name]: value });
  return (
    <div class="grid">
      <Field label="Label" required maxLength={200} value={texts.label} onValue={set('label')} hint="For people" />
      <AmountField
        label="Limit in USD"
        value={texts.limit}
        onValue={set('limit')}
        hint="Such as 25.00; empty for no limit"
      />
      <Select label="Limit starts over" value={texts.limit_reset} onValue={set('limit_reset')} options={RESETS} />
      <Field
        label="Budgets"
        value={texts.budgets}
        onValue={set('budgets')}
        hint="Ids of at most 4, with spaces between"
      />
      <LimitFields texts={texts} onTexts={(limits) => onTexts({ ...texts, ...limits })} />
      <Field
        label="Expires (UTC)"
        type="datetime-local"
        value={texts.expires_at}
        onValue={set('expires_at')}
        hint="Empty for never"
      />
      <DomainFields texts={texts} onTexts={(domains) => onTexts({ ...texts, ...domains })} />
      <CheckList
        label="Allowed models"
        options={models.data?.data.map(({ id }) => id) ?? []}
        chosen={texts.allowed_models}
        onChosen={(allowed_models) => onTexts({ ...texts, allowed_models })}
        none="None chosen: all models"
      />
    </div>
  );
}
