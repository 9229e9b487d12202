import { useState } from 'preact/hooks';
import type { Model, Page, Session } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { CheckList } from '../ui/check-list.js';
import { Field, Select, TextArea } from '../ui/field.js';
import { Menu } from '../ui/menu.js';
import { Empty, ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Answers } from './answers.js';
import type { AskTarget } from './ask.js';
import { chosenModels, MAX_MODELS } from './chosen-models.js';
import { type Past, pastQuestions, remember } from './history.js';
import { CATEGORIES, type Call, KINDS } from './kinds.js';
import { RequestCode } from './request-code.js';
import { givenOptions, SearchFields } from './search-fields.js';
import { isBusy, useAsk } from './use-ask.js';

interface Draft extends Omit<Past, 'category'> {
  /** Kept in memory only, and lost with the page. */
  readonly apiKey: string;
  readonly asHost: boolean;
}

/** Outlives the view, so that switching views loses nothing. */
let keptDraft: Draft = { models: '', query: '', search: {}, lists: {}, apiKey: '', asHost: true };

export function PlaygroundView({ session }: { session: Session }) {
  const loaded = useLoad('models', () => getJson<Page<Model>>('models'));
  if (!session.can_ask && session.answer_url === null) {
    return <Empty>Asking is not set up. The host can allow it by the options of the dashboard.</Empty>;
  }
  const all = loaded.data?.data ?? [];
  const [first, ...others] = CATEGORIES.flatMap((category) => all.filter((model) => model.category === category));
  return (
    <>
      <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
      {loaded.data === undefined && loaded.isLoading && <Skeleton what="the models" />}
      {loaded.data !== undefined && first === undefined && (
        <Empty>No model can be asked. Add a provider to the gateway.</Empty>
      )}
      {first !== undefined && <Playground session={session} models={[first, ...others]} />}
    </>
  );
}

interface PlaygroundProps {
  readonly session: Session;
  readonly models: readonly [Model, ...Model[]];
}

function Playground({ session, models }: PlaygroundProps) {
  const [draft, setDraft] = useState(keptDraft);
  const columns = [useAsk(), useAsk(), useAsk(), useAsk()];
  const [asking, setAsking] = useState(0);
  const [history, setHistory] = useState(pastQuestions);
  const chosen = chosenModels(models, draft.models);
  const [model, ...others] = chosen;
  const otherIds = others.map(({ id }) => id);
  const { category } = model;
  const { query, list, action } = KINDS[category];
  const change = (part: Partial<Draft>) => {
    keptDraft = { ...keptDraft, ...part };
    setDraft(keptDraft);
  };
  const choose = (...ids: readonly string[]) => change({ models: ids.join(',') });
  const ask = () => {
    setHistory(remember({ ...draft, category, models: [model.id, ...otherIds].join(',') }));
    setAsking(chosen.length);
    chosen.forEach((one, at) => void columns[at]?.start(targetOf(session, draft), one.id, callOf(one, draft)));
  };
  const isAsking = columns.some(({ asked }) => isBusy(asked));
  return (
    <>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isAsking) ask();
        }}
      >
        <div class="ask-row">
          {query && <TextArea {...query} rows={1} value={draft.query} onValue={(text) => change({ query: text })} />}
          <ModelPicker models={models} model={model} onModel={(id) => choose(id, ...otherIds)} />
          <Credential session={session} draft={draft} change={change} />
          {isAsking ? (
            <StopButton onStop={() => columns.forEach(({ stop }) => stop())} />
          ) : (
            <button type="submit" class="primary">
              {action}
            </button>
          )}
        </div>
        <Comparison models={models} chosen={chosen} onChosen={(ids) => choose(model.id, ...ids)} />
        {list && (
          <TextArea
            {...list}
            rows={4}
            value={draft.lists[category] ?? ''}
            onValue={(text) => change({ lists: { ...draft.lists, [category]: text } })}
          />
        )}
        <p class="hint">
          {factsOf(model, others).join(' · ')}
          {isAskedAsHost(session, draft) && ' · charged to the organization of the host'}
        </p>
        {(category === 'answer' || category === 'search') && (
          <SearchFields models={chosen} texts={draft.search} onTexts={(search) => change({ search })} />
        )}
      </form>
      <Answers columns={columns} asking={asking} hasRequests={session.has_requests} />
      <RequestCode call={callOf(model, draft)} answerUrl={session.answer_url} />
      <History
        history={history}
        onChosen={({ category: before, models: asked, ...past }) =>
          change({ ...past, ...(before !== category && { models: asked }) })
        }
      />
    </>
  );
}

interface ComparisonProps {
  readonly models: readonly Model[];
  readonly chosen: readonly [Model, ...Model[]];
  readonly onChosen: (otherIds: readonly string[]) => void;
}

/** Chooses the models beside the first, of its kind. */
function Comparison({ models, chosen: [first, ...others], onChosen }: ComparisonProps) {
  const ofKind = models.filter((model) => model.category === first.category && model !== first);
  return (
    <Menu label="Compare with…">
      {() => (
        <CheckList
          label="Models"
          options={ofKind.map(({ id }) => id)}
          chosen={others.map(({ id }) => id)}
          onChosen={onChosen}
          none="None chosen: one answer"
          most={MAX_MODELS - 1}
        />
      )}
    </Menu>
  );
}

function StopButton({ onStop }: { onStop: () => void }) {
  const onClick = (event: Event) => {
    // Its element becomes the button that asks, before the browser has done what a click does.
    event.preventDefault();
    onStop();
  };
  return (
    <button type="button" onClick={onClick}>
      Stop
    </button>
  );
}

/** Of one model what it is, of several what each costs. */
function factsOf(model: Model, others: readonly Model[]): readonly string[] {
  const { category, name, price, features, policies } = model;
  if (others.length === 0) return [category, name, price, ...features, ...policies];
  return [`asks ${others.length + 1} models`, ...[model, ...others].map((one) => `${one.id}: ${one.price}`)];
}

/** Each question is asked again of the chosen models. */
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
            <span class="hint">{past.models.replaceAll(',', ', ')}</span>
          </li>
        ))}
      </ul>
    </details>
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

interface CredentialProps {
  readonly session: Session;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

/** Chooses the asker: the host, or the owner of a key, which stays in the memory of the page. */
function Credential({ session, draft, change }: CredentialProps) {
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
