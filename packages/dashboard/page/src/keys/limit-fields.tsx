import type { RateLimit } from '../../../src/api/contract.js';
import { Field } from '../ui/field.js';

/** Limits as typed. An empty text means no limit. */
export interface LimitTexts {
  readonly requests: string;
  readonly periodSeconds: string;
  readonly maxConcurrent: string;
}

interface Limits {
  readonly rateLimit: RateLimit | null;
  readonly maxConcurrent: number | null;
}

export function limitTexts(
  { rateLimit, maxConcurrent }: Limits = { rateLimit: null, maxConcurrent: null },
): LimitTexts {
  return {
    requests: String(rateLimit?.requests ?? ''),
    periodSeconds: String((rateLimit?.periodMs ?? 60_000) / 1_000),
    maxConcurrent: String(maxConcurrent ?? ''),
  };
}

export function readLimits({ requests, periodSeconds, maxConcurrent }: LimitTexts): Limits {
  return {
    rateLimit: requests === '' ? null : { requests: Number(requests), periodMs: Number(periodSeconds) * 1_000 },
    maxConcurrent: maxConcurrent === '' ? null : Number(maxConcurrent),
  };
}

interface LimitFieldsProps {
  readonly texts: LimitTexts;
  readonly onTexts: (texts: LimitTexts) => void;
}

export function LimitFields({ texts, onTexts }: LimitFieldsProps) {
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
      {field('maxConcurrent', 'Requests at once', 'Empty for no limit')}
    </>
  );
}

export function limitsText({ rateLimit, maxConcurrent }: Limits): string {
  const texts = [
    rateLimit && `${rateLimit.requests} in ${rateLimit.periodMs / 1_000} s`,
    maxConcurrent === null ? null : `${maxConcurrent} at once`,
  ];
  return texts.filter(Boolean).join(', ') || '–';
}
