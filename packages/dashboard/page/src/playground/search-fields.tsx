import type { AnswerRequest, KindRequest } from '@searchgate/client';
import type { Model } from '../../../src/api/contract.js';
import { Field, Select } from '../ui/field.js';

type SearchRequest = KindRequest<'search'>;
export type GivenOptions = NonNullable<SearchRequest['search']> &
  Pick<SearchRequest, 'maxResults' | 'includeContent'> &
  Pick<AnswerRequest, 'instructions' | 'maxOutputTokens'>;

/** The typed texts, by the option's name on the wire. */
export type SearchTexts = Readonly<Record<string, string>>;

interface OptionField {
  /** The name on the wire, as in a model's list of supported options. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type: 'domains' | 'choice' | 'flag' | 'date' | 'number' | 'code' | 'text';
}

/** The form field of each search option, and of the fields that only answers or searches have. */
const OPTION_FIELDS: readonly OptionField[] = [
  { name: 'instructions', label: 'Instructions', hint: 'How to answer', type: 'text' },
  { name: 'max_output_tokens', label: 'Most tokens', hint: 'Of the answer', type: 'number' },
  { name: 'max_results', label: 'Most results', hint: '10 if empty', type: 'number' },
  { name: 'include_content', label: 'Text of the pages', type: 'flag' },
  { name: 'include_domains', label: 'Only these sites', hint: 'example.org, docs.example.org', type: 'domains' },
  { name: 'exclude_domains', label: 'Not these sites', hint: 'Not together with only these sites', type: 'domains' },
  { name: 'freshness', label: 'Published within', type: 'choice' },
  { name: 'published_after', label: 'Published from', hint: 'Not together with published within', type: 'date' },
  { name: 'published_before', label: 'Published until', type: 'date' },
  { name: 'country', label: 'Country', hint: 'Two letters, such as DE', type: 'code' },
  { name: 'language', label: 'Language', hint: 'Two letters, such as de', type: 'code' },
];

const CHOICES = {
  choice: [
    ['', 'any time'],
    ['day', 'a day'],
    ['week', 'a week'],
    ['month', 'a month'],
    ['year', 'a year'],
  ],
  flag: [
    ['', 'without'],
    ['yes', 'included'],
  ],
} as const;

interface SearchFieldsProps {
  /** Options that any of them has are offered, with the number of those that have them. */
  readonly models: readonly Model[];
  readonly texts: SearchTexts;
  readonly onTexts: (texts: SearchTexts) => void;
}

export function SearchFields({ models, texts, onTexts }: SearchFieldsProps) {
  const fields = OPTION_FIELDS.filter((field) => models.some((model) => hasField(model, field)));
  if (fields.length === 0) return null;
  const given = fields.filter((field) => isGiven(field, texts)).length;
  return (
    <details>
      <summary>{given === 0 ? 'Options' : `Options · ${given}`}</summary>
      <div class="grid">
        {fields.map((field) => {
          const { name, hint, type } = field;
          const having = models.filter((model) => hasField(model, field)).length;
          const control = {
            label: having === models.length ? field.label : `${field.label} · ${having} of ${models.length} models`,
            value: texts[name] ?? '',
            onValue: (value: string) => onTexts({ ...texts, [name]: value }),
          };
          if (type === 'choice' || type === 'flag') return <Select key={name} {...control} options={CHOICES[type]} />;
          return (
            <Field
              key={name}
              {...control}
              hint={hint}
              type={type === 'date' || type === 'number' ? type : 'text'}
              maxLength={type === 'code' ? 2 : undefined}
            />
          );
        })}
      </div>
    </details>
  );
}

function hasField({ category, options, features }: Model, { name }: OptionField): boolean {
  if (options.includes(name) || (category === 'answer' && features.includes(name))) return true;
  if (category !== 'search') return false;
  return name === 'max_results' || (name === 'include_content' && features.includes('content'));
}

function isGiven({ name }: OptionField, texts: SearchTexts): boolean {
  return (texts[name] ?? '').trim() !== '';
}

/** The options of the request: typed and supported. The gateway checks the values. */
export function givenOptions(model: Model, texts: SearchTexts): GivenOptions {
  const given = OPTION_FIELDS.filter((field) => hasField(model, field) && isGiven(field, texts));
  const entries = given.map(({ name, type }) => [camelCase(name), valueOf(type, (texts[name] ?? '').trim())] as const);
  return Object.fromEntries(entries) as GivenOptions;
}

function valueOf(type: OptionField['type'], text: string): unknown {
  if (type === 'domains') return text.split(/[\s,]+/).filter(Boolean);
  if (type === 'number') return Number(text);
  return type === 'flag' ? true : text;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
