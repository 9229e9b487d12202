import { useState } from 'preact/hooks';
import type { Session, CapturedText as Texts } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { CopyButton, ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';

interface CapturedTextProps {
  readonly requestId: string;
  readonly session: Session;
}

/** The question and the answer of a call, read when somebody asks for them: each reading is logged. Nothing for users who may not read them. */
export function CapturedText({ requestId, session }: CapturedTextProps) {
  // Another call is closed again.
  const [opened, setOpened] = useState<string>();
  const isOpen = opened === requestId;
  const texts = useLoad(isOpen ? requestId : null, () =>
    getJson<Texts>(`requests/${encodeURIComponent(requestId)}/text`),
  );
  if (!session.can_read_texts) return null;
  if (!isOpen)
    return (
      <button type="button" onClick={() => setOpened(requestId)}>
        Show question and answer
      </button>
    );
  const { data, error, reload } = texts;
  if (data === undefined)
    return error === undefined ? (
      <Skeleton what="question and answer" />
    ) : (
      <ErrorNotice error={error} onRetry={reload} />
    );
  return (
    <section aria-label="Question and answer">
      <Part name="Question" text={data.question} />
      <Part name="Answer" text={data.answer} />
      <p class="hint">
        {data.is_cut && 'The end of a long text is missing. '}Kept until {data.expires_at.slice(0, 10)}.
      </p>
    </section>
  );
}

function Part({ name, text }: { name: string; text: string | null }) {
  return (
    <>
      <h3>{name}</h3>
      {text === null ? <p class="hint">None was kept.</p> : <pre class="page-text">{text}</pre>}
      {text !== null && <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />}
    </>
  );
}
