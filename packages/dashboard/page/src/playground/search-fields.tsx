import type { AnswerRequest } from '@searchgate/client';
import { Field, Select } from '../ui/field.js';

type Search = NonNullable<AnswerRequest['search']>;

/** The typed texts, by the option's name on the wire. */
export type SearchTexts = Readonly<Record<string, string>>;

interface OptionField {
  /** The name on the wire, as in a model's list of supported options. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type: 'domains' | 'choice' | 'date' | 'code';
}

/** The form field of each search option. */
const OPTION_FIELDS: readonly OptionField[] = [
  { name: 'include_domains', label: 'Only these sites', hint: 'example.org, docs.example.org', type: 'domains' },
  { name: 'exclude_domains', label: 'Not these sites', hint: 'Not together with only these sites', type: 'domains' },
  { name: 'freshness', label: 'Published within', type: 'choice' },
  { name: 'published_after', label: 'Published from', hint: 'Not together with published within', type: 'date' },
  { name: 'published_before', label: 'Published until', type: 'date' },
  { name: 'country', label: 'Country', hint: 'Two letters, such as DE', type: 'code' },
  { name: 'language', label: 'Language', hint: 'Two letters, such as de', type: 'code' },
];

const FRESHNESS = [
  ['', 'any time'],
  ['day', 'a day'],
  ['week', 'a week'],
  ['month', 'a month'],
  ['year', 'a year'],
] as const;

interface SearchFieldsProps {
  /** The options that the model supports. */
  readonly options: readonly string[];
  readonly texts: SearchTexts;
  readonly onTexts: (texts: SearchTexts) => void;
}

export function SearchFields({ options, texts, onTexts }: SearchFieldsProps) {
  const fields = OPTION_FIELDS.filter(({ name }) => options.includes(name));
  if (fields.length === 0) return <p class="hint">This model has no search options.</p>;
  return (
    <fieldset>
      <legend>Search options</legend>
      <div class="grid">
        {fields.map(({ name, label, hint, type }) => {
          const control = {
            label,
            value: texts[name] ?? '',
            onValue: (value: string) => onTexts({ ...texts, [name]: value }),
          };
          if (type === 'choice') return <Select key={name} {...control} options={FRESHNESS} />;
          return (
            <Field
              key={name}
              {...control}
              hint={hint}
              type={type === 'date' ? 'date' : 'text'}
              maxLength={type === 'code' ? 2 : undefined}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

/** The search options of the request: typed and supported; `undefined` without any. The gateway checks the values. */
export function searchOf(options: readonly string[], texts: SearchTexts): Search | undefined {
  const given = OPTION_FIELDS.flatMap(({ name, type }) => {
    const text = options.includes(name) ? (texts[name] ?? '').trim() : '';
    if (text === '') return [];
    return [[camelCase(name), type === 'domains' ? text.split(/[\s,]+/).filter(Boolean) : text] as const];
  });
  return given.length === 0 ? undefined : (Object.fromEntries(given) as Search);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
