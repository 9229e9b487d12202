import type { InputHTMLAttributes, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'password' | 'date' | 'number' | 'search' | 'datetime-local';
  /** A line below the control. */
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly placeholder?: string | undefined;
  readonly pattern?: string | undefined;
  readonly min?: number | string | undefined;
  readonly max?: number | string | undefined;
  readonly maxLength?: number | undefined;
  readonly inputMode?: 'decimal' | 'numeric' | undefined;
  /** Offered while typing; other values are allowed. */
  readonly suggestions?: readonly string[] | undefined;
}

/** Several fields: what is typed, and its change. */
export interface FieldsProps<Texts> {
  readonly texts: Texts;
  readonly onTexts: (texts: Texts) => void;
}

/** A labeled text control. */
export function Field({ label, value, onValue, hint, suggestions, ...rest }: FieldProps) {
  const id = useId();
  const attributes = {
    ...rest,
    id,
    value,
    autoComplete: 'off',
    spellcheck: false,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    list: suggestions === undefined ? undefined : `${id}-list`,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* Its type depends on `type`, which is known only where the field is used. */}
      <input {...(attributes as InputHTMLAttributes)} onInput={(event) => onValue(event.currentTarget.value)} />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </div>
  );
}

/** A control for an amount in decimal USD. */
export function AmountField(props: FieldProps) {
  return <Field inputMode="decimal" pattern="\d+(\.\d{1,9})?" {...props} />;
}

interface TextAreaProps extends Pick<FieldProps, 'label' | 'value' | 'onValue' | 'placeholder'> {
  /** Enter sends the form from a single row. */
  readonly rows: number;
}

/** A labeled control for a text of several lines, which must be given. */
export function TextArea({ label, value, onValue, placeholder, rows }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        required
        rows={rows}
        value={value}
        placeholder={placeholder}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (rows > 1 || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}

interface SearchFieldProps extends Pick<FieldProps, 'label' | 'value' | 'placeholder' | 'suggestions'> {
  /** Whether the search follows what is typed. Default: it waits for Enter, or until the field is left. */
  readonly isLive?: boolean;
  readonly onSearch: (text: string) => void;
}

/** Without a letter for so long, somebody has stopped typing. */
const PAUSE_MS = 200;

/** A text that is searched for. A cleared field is searched for at once. */
export function SearchField({ value, onSearch, isLive = false, ...field }: SearchFieldProps) {
  const [{ text, searched }, setState] = useState({ text: value, searched: value });
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const setText = (typed: string) => setState({ text: typed, searched: value });
  // Not in an effect: that runs after the paint, and would remove letters typed before.
  if (searched !== value) setText(text.trim() === value ? text : value);
  const search = (typed: string) => {
    clearTimeout(pause.current);
    if (typed.trim() !== value) onSearch(typed.trim());
  };
  useEffect(() => () => clearTimeout(pause.current), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        search(text);
      }}
      onFocusOut={() => search(text)}
    >
      <Field
        {...field}
        type="search"
        value={text}
        onValue={(typed) => {
          setText(typed);
          clearTimeout(pause.current);
          // A suggestion is complete, as an empty text is.
          if (typed === '' || field.suggestions?.includes(typed)) search(typed);
          else if (isLive) pause.current = setTimeout(() => search(typed), PAUSE_MS);
        }}
      />
    </form>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Value and text of each option, in order; or the option elements as children. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly children?: JSX.Element | JSX.Element[];
}

/** A labeled select control. */
export function Select({ label, value, onValue, options = [], children }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
        {children}
      </select>
    </div>
  );
}
