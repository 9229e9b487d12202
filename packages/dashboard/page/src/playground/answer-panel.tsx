import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { linkTo } from '../address.js';
import { messageOf } from '../api.js';
import { count, milliseconds, plural, usd } from '../format.js';
import { MAX_SHOWN_CHARACTERS } from '../markdown/answer-text.js';
import { Fact } from '../ui/parts.js';
import { KINDS } from './kinds.js';
import { type FailedPage, FailedPages, SourceLink } from './pages.js';
import type { Asked, Source } from './use-ask.js';

const MAX_SOURCES = 100;
const MAX_SNIPPET_CHARACTERS = 280;

interface SourcesProps {
  readonly label: string;
  readonly sources: readonly Source[];
  /** The number of the source under the pointer. */
  readonly pointedAt: number | null;
  readonly onPoint: (source: number | null) => void;
}

/** The numbered sources of an answer. Pointing at a source highlights its citation markers. */
function Sources({ label, sources, pointedAt, onPoint }: SourcesProps) {
  return (
    <section aria-label={label} class="sources">
      <h2>Sources</h2>
      {sources.length === 0 && <p class="hint">None yet.</p>}
      <ol>
        {sources.slice(0, MAX_SOURCES).map((source, index) => (
          <li
            key={`${index} ${source.url}`}
            class={pointedAt === index + 1 ? 'pointed-at' : undefined}
            onMouseEnter={() => onPoint(index + 1)}
            onMouseLeave={() => onPoint(null)}
            onFocusIn={() => onPoint(index + 1)}
            onFocusOut={() => onPoint(null)}
          >
            <SourceLink source={source} />
            {source.snippet && <p class="hint">{source.snippet.slice(0, MAX_SNIPPET_CHARACTERS)}</p>}
          </li>
        ))}
      </ol>
      {sources.length > MAX_SOURCES && <p class="hint">Only the first {MAX_SOURCES} are shown.</p>}
    </section>
  );
}

interface AnswerPanelProps {
  readonly asked: Asked | undefined;
  /** Whether it stands beside others. */
  readonly isCompared: boolean;
  /** The element of the text. */
  readonly text: RefObject<HTMLDivElement | null>;
  /** Whether a request can be looked up in the log. */
  readonly hasRequests: boolean;
}

/** An answer next to its sources, or another reply. Pointing at a marker highlights its source, and the other way round. */
export function AnswerPanel({ asked, isCompared, text, hasRequests }: AnswerPanelProps) {
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  useEffect(() => {
    for (const marker of text.current?.querySelectorAll<HTMLElement>('a.marker') ?? []) {
      marker.classList.toggle('pointed-at', Number(marker.dataset['source']) === pointedAt);
    }
  }, [pointedAt, text]);
  const point = ({ target }: Event) => setPointedAt(sourceOf(target));
  const { category = 'answer' } = asked ?? {};
  const { title } = KINDS[category];
  const isAnswer = category === 'answer';
  const labelOf = (part: string) => (isCompared ? `${part} of ${asked?.of}` : part);

  return (
    <div class="answer-panel" hidden={asked === undefined}>
      <section aria-label={labelOf(title)} class={isAnswer ? 'answer' : 'wide'}>
        <h2>{isCompared ? asked?.of : title}</h2>
        <Progress asked={asked} isQuiet={isCompared} />
        {isCompared && asked !== undefined && (
          <p>
            {figuresOf(asked)
              .map((figure) => figure.join(' '))
              .join(' · ')}
          </p>
        )}
        <div
          ref={text}
          class="answer-text"
          hidden={!isAnswer}
          aria-busy={asked?.phase === 'streaming'}
          onMouseOver={point}
          onMouseLeave={() => setPointedAt(null)}
          onFocusIn={point}
          onFocusOut={() => setPointedAt(null)}
        />
        {asked?.omitted !== undefined && asked.omitted > 0 && (
          <p class="hint">
            Only the first {count(MAX_SHOWN_CHARACTERS)} characters are shown; {count(asked.omitted)} are left out.
          </p>
        )}
        {asked?.reply?.view}
        <FailedPages failed={failedOf(asked)} />
      </section>
      {isAnswer && (asked?.phase !== 'failed' || asked.sources.length > 0) && (
        <Sources
          label={labelOf('Sources')}
          sources={asked?.sources ?? []}
          pointedAt={pointedAt}
          onPoint={setPointedAt}
        />
      )}
      {asked !== undefined && <Facts label={labelOf('Figures')} {...{ asked, isCompared, hasRequests }} />}
    </div>
  );
}

function sourceOf(target: EventTarget | null): number | null {
  const marker = target instanceof Element ? target.closest<HTMLElement>('a.marker') : null;
  return marker === null ? null : Number(marker.dataset['source']);
}

/** Of an extract, also of an extract that failed because no page could be read. */
function failedOf(asked: Asked | undefined): readonly FailedPage[] {
  return (
    asked?.reply?.failed ??
    (asked?.error as { metadata?: { failed?: readonly FailedPage[] } } | undefined)?.metadata?.failed ??
    []
  );
}

/** Announces stages to screen readers, not every word; nothing if quiet, where another element speaks for several answers. */
function Progress({ asked, isQuiet }: { asked: Asked | undefined; isQuiet: boolean }) {
  if (asked?.phase === 'failed') {
    const { reason, status } = asked.error as { reason?: string; status?: number | null };
    return (
      <div class="notice error" role={isQuiet ? undefined : 'alert'}>
        <p>
          {reason !== undefined && <strong>{[status, reason].filter(Boolean).join(' ')}: </strong>}
          {messageOf(asked.error)}
        </p>
      </div>
    );
  }
  const { part, waiting } = KINDS[asked?.category ?? 'answer'];
  const failed = failedOf(asked).length;
  const parts = plural(asked?.reply?.parts ?? asked?.sources.length ?? 0, part);
  return (
    <p class="hint" role={isQuiet ? undefined : 'status'}>
      {asked?.phase === 'waiting' && waiting}
      {asked?.phase === 'streaming' && 'Answering…'}
      {asked?.phase === 'done' &&
        `${asked.isCut ? 'Ended by the limit' : 'Complete'}, with ${parts}${failed === 0 ? '' : `; ${count(failed)} failed`}.`}
      {asked?.grounding && ` ${checkedText(asked.grounding)}`}
    </p>
  );
}

function checkedText({ sentences, supported }: NonNullable<Asked['grounding']>): string {
  return `${count(supported)} of ${plural(sentences, 'sentence')} supported by words.`;
}

interface FactsProps extends Pick<AnswerPanelProps, 'isCompared' | 'hasRequests'> {
  readonly label: string;
  readonly asked: Asked;
}

/** The figures of an answer; beside others those that are compared stand above its text. */
function Facts({ label, asked, isCompared, hasRequests }: FactsProps) {
  const { id, model, serverTiming, requestId } = asked;
  const link =
    requestId && hasRequests ? <a href={linkTo('requests', { request: requestId })}>{requestId}</a> : requestId;
  const facts = [
    ['Model', model],
    ...(isCompared ? [] : figuresOf(asked)),
    ['Id', id],
    ['Server-Timing', serverTiming],
    ['Request', link],
  ] as const;
  return (
    <section aria-label={label} class="figures">
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value != null && (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ),
        )}
      </dl>
    </section>
  );
}

/** Those that are known. */
function figuresOf({ cost, firstMs, durationMs }: Asked): readonly (readonly [name: string, text: string])[] {
  return [
    // Without an exponent: `5e-7` is `0.0000005`.
    ...(cost === undefined ? [] : [['Cost', usd(cost.toFixed(9))] as const]),
    ...(firstMs === undefined ? [] : [['First text', milliseconds(firstMs)] as const]),
    ...(durationMs === undefined ? [] : [['Time', milliseconds(durationMs)] as const]),
  ];
}
