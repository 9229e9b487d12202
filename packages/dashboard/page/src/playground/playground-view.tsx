import { useId, useRef, useState } from 'preact/hooks';
import type { Model, Page, Session } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { Field, Select } from '../ui/field.js';
import { Empty, ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { AnswerPanel } from './answer-panel.js';
import type { AskTarget } from './ask.js';
import { type Past, pastQuestions, remember } from './history.js';
import { CATEGORIES, type Call, KINDS } from './kinds.js';
import { RequestCode } from './request-code.js';
import { givenOptions, SearchFields } from './search-fields.js';
import { useAsk } from './use-ask.js';

interface Draft extends Past {
  /** Kept in memory only, and lost with the page. */
  readonly apiKey: string;
  readonly asHost: boolean;
}

/** Outlives the view, so that switching views loses nothing. */
let keptDraft: Draft = { modelId: '', query: '', search: {}, lists: {}, apiKey: '', asHost: true };

export function PlaygroundView({ session }: { session: Session }) {
  const loaded = useLoad('models', () => getJson<Page<Model>>('models'));
  if (!session.can_ask && session.answer_url === null) {
    return <Empty>Asking is not set up. The host can allow it by the options of the dashboard.</Empty>;
  }
  const all = loaded.data?.data ?? [];
  const models = CATEGORIES.flatMap((category) => all.filter((model) => model.category === category));
  return (
    <>
      <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
      {loaded.data === undefined && loaded.isLoading && <Skeleton what="the models" />}
      {loaded.data !== undefined && models[0] === undefined && (
        <Empty>No model can be asked. Add a provider to the gateway.</Empty>
      )}
      {models[0] !== undefined && <Playground session={session} models={models} firstModel={models[0]} />}
    </>
  );
}

interface PlaygroundProps {
  readonly session: Session;
  readonly models: readonly Model[];
  readonly firstModel: Model;
}

function Playground({ session, models, firstModel }: PlaygroundProps) {
  const [draft, setDraft] = useState(keptDraft);
  const text = useRef<HTMLDivElement>(null);
  const { asked, start, stop } = useAsk(text);
  const [history, setHistory] = useState(pastQuestions);
  const change = (part: Partial<Draft>) => {
    keptDraft = { ...keptDraft, ...part };
    setDraft(keptDraft);
  };
  const model = models.find(({ id }) => id === draft.modelId) ?? firstModel;
  const call = callOf(model, draft);
  const isBusy = asked?.phase === 'waiting' || asked?.phase === 'streaming';
  const { list } = KINDS[model.category];
  return (
    <>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy) return;
          setHistory(remember({ ...draft, modelId: model.id }));
          void start(targetOf(session, draft), call);
        }}
      >
        <div class="ask-row">
          <Query category={model.category} draft={draft} change={change} />
          <ModelPicker models={models} model={model} onModel={(modelId) => change({ modelId })} />
          <Credential session={session} draft={draft} change={change} />
          {isBusy ? (
            <button type="button" onClick={stop}>
              Stop
            </button>
          ) : (
            <button type="submit" class="primary">
              {KINDS[model.category].action}
            </button>
          )}
        </div>
        {list && <List category={model.category} words={list} draft={draft} change={change} />}
        <p class="hint">
          {[model.category, model.name, model.price, ...model.features, ...model.policies].join(' · ')}
          {isAskedAsHost(session, draft) && ' · charged to the organization of the host'}
        </p>
        {(model.category === 'answer' || model.category === 'search') && (
          <SearchFields model={model} texts={draft.search} onTexts={(search) => change({ search })} />
        )}
      </form>
      <AnswerPanel asked={asked} text={text} hasRequests={session.has_requests} />
      <RequestCode call={call} answerUrl={session.answer_url} />
      <History history={history} onChosen={(past) => change(past)} />
    </>
  );
}

function History({ history, onChosen }: { history: readonly Past[]; onChosen: (past: Past) => void }) {
  if (history.length === 0) return null;
  return (
    <details>
      <summary>Last questions of this tab · {history.length}</summary>
      <ul class="list">
        {history.map((past, index) => (
          <li key={index}>
            <button type="button" class="link cut" onClick={() => onChosen(past)}>
              {past.query || Object.values(past.lists).join(' ')}
            </button>
            <span class="hint">{past.modelId}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface DraftProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

/** The question or the query. Enter sends the form. */
function Query({ category, draft, change }: DraftProps & { readonly category: Model['category'] }) {
  const { query } = KINDS[category];
  if (query === undefined) return null;
  return <Lines words={query} rows={1} isSentByEnter value={draft.query} onValue={(text) => change({ query: text })} />;
}

interface ListProps extends DraftProps {
  readonly category: Model['category'];
  readonly words: readonly [label: string, placeholder: string];
}

function List({ category, words, draft: { lists }, change }: ListProps) {
  const onValue = (text: string) => change({ lists: { ...lists, [category]: text } });
  return <Lines words={words} rows={4} value={lists[category] ?? ''} onValue={onValue} />;
}

interface LinesProps {
  readonly words: ListProps['words'];
  readonly rows: number;
  readonly isSentByEnter?: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Lines({ words: [label, placeholder], rows, isSentByEnter = false, value, onValue }: LinesProps) {
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
          if (!isSentByEnter || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}

function callOf(model: Model, { query, lists, search: texts }: Draft): Call {
  const { id, category } = model;
  const lines = (lists[category] ?? '').split('\n').map((line) => line.trim());
  const list = lines.filter(Boolean);
  return KINDS[category].callOf({ model: id, query, list, options: givenOptions(model, texts) });
}

interface ModelPickerProps {
  readonly models: readonly Model[];
  readonly model: Model;
  readonly onModel: (id: string) => void;
}

function ModelPicker({ models, model, onModel }: ModelPickerProps) {
  const categories = [...new Set(models.map(({ category }) => category))];
  return (
    <Select label="Model" value={model.id} onValue={onModel}>
      {categories.map((category) => (
        <optgroup key={category} label={KINDS[category].models}>
          {models
            .filter((one) => one.category === category)
            .map(({ id, price }) => (
              <option key={id} value={id}>
                {id} · {price}
              </option>
            ))}
        </optgroup>
      ))}
    </Select>
  );
}

/** Chooses the asker: the host, or the owner of a key, which stays in the memory of the page. */
function Credential({ session, draft, change }: DraftProps & { readonly session: Session }) {
  const asHost = isAskedAsHost(session, draft);
  return (
    <>
      {session.can_ask && session.answer_url !== null && (
        <Select
          label="Ask as"
          value={asHost ? 'host' : 'key'}
          onValue={(value) => change({ asHost: value === 'host' })}
          options={[
            ['host', 'the host'],
            ['key', 'a key'],
          ]}
        />
      )}
      {!asHost && (
        <Field
          label="API key"
          type="password"
          required
          value={draft.apiKey}
          onValue={(apiKey) => change({ apiKey })}
          placeholder="kept in this page only"
        />
      )}
    </>
  );
}

function isAskedAsHost({ can_ask, answer_url }: Session, { asHost }: Draft): boolean {
  return can_ask && (asHost || answer_url === null);
}

function targetOf(session: Session, draft: Draft): AskTarget {
  if (isAskedAsHost(session, draft) || session.answer_url === null) return { url: 'api/v1/ask/answer', apiKey: null };
  return { url: session.answer_url, apiKey: draft.apiKey.trim() };
}
