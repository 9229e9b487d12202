import { useId } from 'preact/hooks';
import type { KeyChange, KeyRow, Model } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { Field, Select } from '../ui/field.js';
import { useLoad } from '../use-load.js';
import { LimitFields, type LimitTexts, limitTexts, readLimits } from './limit-fields.js';

/** The settings of a key as typed. */
export interface KeyTexts extends LimitTexts {
  readonly label: string;
  /** Decimal USD; empty for no limit. */
  readonly limit: string;
  readonly limitReset: NonNullable<KeyRow['limitReset']> | '';
  /** One per line; empty for all models. */
  readonly allowedModels: string;
  /** `2026-12-01T00:00`, UTC; empty for never. */
  readonly expiresAt: string;
}

export function keyTexts(key?: KeyRow): KeyTexts {
  return {
    ...limitTexts(key),
    label: key?.label ?? '',
    limit: key?.limit ?? '',
    limitReset: key?.limitReset ?? '',
    allowedModels: key?.allowedModels?.join('\n') ?? '',
    expiresAt: key?.expiresAt?.slice(0, 16) ?? '',
  };
}

export function readKey(texts: KeyTexts): KeyChange & { readonly label: string } {
  const models = texts.allowedModels.split(/[\s,]+/).filter(Boolean);
  return {
    ...readLimits(texts),
    label: texts.label,
    limit: texts.limit === '' ? null : texts.limit,
    limitReset: texts.limit === '' || texts.limitReset === '' ? null : texts.limitReset,
    allowedModels: models.length === 0 ? null : models,
    expiresAt: texts.expiresAt === '' ? null : `${texts.expiresAt}:00.000Z`,
  };
}

const RESETS = [
  ['', 'never'],
  ['daily', 'every day'],
  ['weekly', 'every week'],
  ['monthly', 'every month'],
] as const;

interface KeyFieldsProps {
  readonly texts: KeyTexts;
  readonly onTexts: (texts: KeyTexts) => void;
}

export function KeyFields({ texts, onTexts }: KeyFieldsProps) {
  const set = (name: keyof KeyTexts) => (value: string) => onTexts({ ...texts, [name]: value });
  return (
    <div class="grid">
      <Field label="Label" required maxLength={200} value={texts.label} onValue={set('label')} hint="For people" />
      <Field
        label="Limit in USD"
        inputMode="decimal"
        pattern="\d+(\.\d{1,9})?"
        value={texts.limit}
        onValue={set('limit')}
        hint="Such as 25.00; empty for no limit"
      />
      <Select label="Limit starts over" value={texts.limitReset} onValue={set('limitReset')} options={RESETS} />
      <LimitFields texts={texts} onTexts={(limits) => onTexts({ ...texts, ...limits })} />
      <Field
        label="Expires (UTC)"
        type="datetime-local"
        value={texts.expiresAt}
        onValue={set('expiresAt')}
        hint="Empty for never"
      />
      <ModelsField value={texts.allowedModels} onValue={set('allowedModels')} />
    </div>
  );
}

function ModelsField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const id = useId();
  const models = useLoad('models', () => getJson<{ models: Model[] }>('models'));
  const chosen = new Set(value.split('\n').filter(Boolean));
  const known = models.data?.models.map((model) => model.id) ?? [];
  return (
    <div class="field wide">
      <label for={id}>Allowed models</label>
      <select
        id={id}
        multiple
        size={5}
        aria-describedby={`${id}-hint`}
        onChange={(event) =>
          onValue(Array.from(event.currentTarget.selectedOptions, (option) => option.value).join('\n'))
        }
      >
        {[...new Set([...known, ...chosen])].map((model) => (
          <option key={model} value={model} selected={chosen.has(model)}>
            {model}
          </option>
        ))}
      </select>
      <small id={`${id}-hint`} class="hint">
        {chosen.size === 0 ? 'None chosen: all models. ' : `${chosen.size} chosen. `}
        Ctrl or Cmd with a click chooses several.
      </small>
    </div>
  );
}
