import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestLine } from '../../../src/api/contract.js';
import { messageOf } from '../api.js';
import { count, plural, usd } from '../format.js';
import { requestLog } from '../live/request-log.js';
import { MAX_SHOWN_CHARACTERS } from '../markdown/answer-text.js';
import { Sources } from './sources.js';
import type { Asked } from './use-ask.js';

interface AnswerPanelProps {
  readonly asked: Asked | undefined;
  /** Where the text is written to. */
  readonly text: RefObject<HTMLDivElement | null>;
}

/** An answer beside its sources. A marker and its source point at each other. */
export function AnswerPanel({ asked, text }: AnswerPanelProps) {
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  useEffect(() => {
    for (const marker of text.current?.querySelectorAll<HTMLElement>('a.marker') ?? []) {
      marker.classList.toggle('pointed-at', Number(marker.dataset['source']) === pointedAt);
    }
  }, [pointedAt, text]);
  const point = ({ target }: Event) => setPointedAt(sourceOf(target));

  return (
    <div class="answer-panel" hidden={asked === undefined}>
      <section aria-label="Answer" class="answer">
        <h2>Answer</h2>
        <Progress asked={asked} />
        <div
          ref={text}
          class="answer-text"
          aria-busy={asked?.phase === 'streaming'}
          onMouseOver={point}
          onMouseLeave={() => setPointedAt(null)}
          onFocusIn={point}
          onFocusOut={() => setPointedAt(null)}
        />
        {asked !== undefined && asked.omitted > 0 && (
          <p class="hint">
            Only the first {count(MAX_SHOWN_CHARACTERS)} characters are shown; {count(asked.omitted)} are left out.
          </p>
        )}
      </section>
      <Sources sources={asked?.sources ?? []} pointedAt={pointedAt} onPoint={setPointedAt} />
      {asked !== undefined && <Facts asked={asked} />}
    </div>
  );
}

function sourceOf(target: EventTarget | null): number | null {
  const marker = target instanceof Element ? target.closest<HTMLElement>('a.marker') : null;
  return marker === null ? null : Number(marker.dataset['source']);
}

/** What screen readers announce: the stages, not each word. */
function Progress({ asked }: { asked: Asked | undefined }) {
  if (asked?.phase === 'failed') {
    const { reason, status } = asked.error as { reason?: string; status?: number | null };
    return (
      <div class="notice error" role="alert">
        <p>
          {reason !== undefined && <strong>{[status, reason].filter(Boolean).join(' ')}: </strong>}
          {messageOf(asked.error)}
        </p>
      </div>
    );
  }
  return (
    <p class="hint" role="status" aria-live="polite">
      {asked?.phase === 'waiting' && 'Searching…'}
      {asked?.phase === 'streaming' && 'Answering…'}
      {asked?.phase === 'done' && `Complete, with ${plural(asked.sources.length, 'source')}.`}
    </p>
  );
}

function Facts({ asked: { model, cost, serverTiming, requestId } }: { asked: Asked }) {
  const line = useRequestLine(requestId);
  const facts = [
    ['Model', model],
    ['Cost', cost === null ? null : usd(decimal(cost))],
    ['Server-Timing', serverTiming],
    ['Tries', line && count(line.attempts)],
    ['Cache', line?.cache],
    ['Request', requestId],
  ] as const;
  return (
    <section aria-label="Figures" class="figures">
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null || value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

/** How the gateway's events describe a request, once it has ended. */
function useRequestLine(requestId: string | null): RequestLine | undefined {
  const [line, setLine] = useState<RequestLine>();
  useEffect(() => {
    setLine(undefined);
    if (requestId === null) return undefined;
    return requestLog.listen(({ requests }) => setLine(requests.find((one) => one.requestId === requestId)));
  }, [requestId]);
  return line;
}

/** A number of the wire as a decimal text: `5e-7` is `0.0000005`. */
function decimal(value: number): string {
  return value.toFixed(9);
}
