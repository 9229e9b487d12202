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

const FRESHNESS = [
  ['', 'any time'],
  ['day', 'a day'],
  ['week', 'a week'],
  ['month', 'a month'],
  ['year', 'a year'],
] as const;

const CHOICES = {
  choice: FRESHNESS,
  flag: [
    ['', 'without'],
    ['yes', 'included'],
  ],
} as const;

interface SearchFieldsProps {
  readonly model: Model;
  readonly texts: SearchTexts;
  readonly onTexts: (texts: SearchTexts) => void;
}

export function SearchFields({ model, texts, onTexts }: SearchFieldsProps) {
  const fields = fieldsOf(model);
  if (fields.length === 0) return null;
  const given = fields.filter(({ name }) => (texts[name] ?? '').trim() !== '').length;
  return (
    <details>
      <summary>{given === 0 ? 'Options' : `Options · ${given}`}</summary>
      <div class="grid">
        {fields.map(({ name, label, hint, type }) => {
          const control = {
            label,
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

function fieldsOf({ category, options, features }: Model): readonly OptionField[] {
  const isSearch = category === 'search';
  const others = [isSearch && 'max_results', isSearch && features.includes('content') && 'include_content'];
  const ofAnswers = category === 'answer' ? features : [];
  return OPTION_FIELDS.filter(({ name }) => [...options, ...others, ...ofAnswers].includes(name));
}

/** The options of the request: typed and supported. The gateway checks the values. */
export function givenOptions(model: Model, texts: SearchTexts): GivenOptions {
  const given = fieldsOf(model).flatMap(({ name, type }) => {
    const text = (texts[name] ?? '').trim();
    return text === '' ? [] : [[camelCase(name), valueOf(type, text)] as const];
  });
  return Object.fromEntries(given) as GivenOptions;
}

function valueOf(type: OptionField['type'], text: string): unknown {
  if (type === 'domains') return text.split(/[\s,]+/).filter(Boolean);
  if (type === 'number') return Number(text);
  return type === 'flag' ? true : text;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
