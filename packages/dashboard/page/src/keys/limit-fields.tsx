import type { KeyRow } from '../../../src/api/contract.js';
import { Field, type FieldsProps } from '../ui/field.js';

/** Limits as typed. An empty text means no limit. */
export interface LimitTexts {
  readonly requests: string;
  readonly periodSeconds: string;
  readonly max_concurrent: string;
}

type Limits = Pick<KeyRow, 'rate_limit' | 'max_concurrent'>;

export function limitTexts(
  { rate_limit, max_concurrent }: Limits = { rate_limit: null, max_concurrent: null },
): LimitTexts {
  return {
    requests: String(rate_limit?.requests ?? ''),
    periodSeconds: String((rate_limit?.period_ms ?? 60_000) / 1_000),
    max_concurrent: String(max_concurrent ?? ''),
  };
}

export function readLimits({ requests, periodSeconds, max_concurrent }: LimitTexts): Limits {
  return {
    rate_limit: requests === '' ? null : { requests: Number(requests), period_ms: Number(periodSeconds) * 1_000 },
    max_concurrent: max_concurrent === '' ? null : Number(max_concurrent),
  };
}

export function LimitFields({ texts, onTexts }: FieldsProps<LimitTexts>) {
  const field = (name: keyof LimitTexts, label: string, hint: string) => (
    <Field
      label={label}
      type="number"
      min={1}
      hint={hint}
      value={texts[name]}
      onValue={(value) => onTexts({ ...texts, [name]: value })}
    />
  );
  return (
    <>
      {field('requests', 'Requests per period', 'Empty for no limit')}
      {field('periodSeconds', 'Period in seconds', 'Such as 60')}
      {field('max_concurrent', 'Requests at once', 'Empty for no limit')}
    </>
  );
}

export function limitsText({ rate_limit, max_concurrent }: Limits): string {
  const texts = [
    rate_limit && `${rate_limit.requests} in ${rate_limit.period_ms / 1_000} s`,
    max_concurrent === null ? null : `${max_concurrent} at once`,
  ];
  return texts.filter(Boolean).join(', ') || '–';
}
