import { useId, useState } from 'preact/hooks';
import type { Model, Page, Session } from '../../../src/api/contract.js';
import { linkTo } from '../address.js';
import { getJson } from '../api.js';
import { Field, Select } from '../ui/field.js';
import { Empty, ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Answers } from './answers.js';
import type { AskTarget } from './ask.js';
import { type Chosen, type ChosenIds, chosenModels, idsOf, priceBefore, useChosenIds } from './chosen-models.js';
import { type Past, pastQuestions, remember } from './history.js';
import { CATEGORIES, type Call, KINDS } from './kinds.js';
import { ModelChips } from './model-chips.js';
import { RequestCode } from './request-code.js';
import { givenOptions, lackedOptions, SearchFields, type SearchTexts } from './search-fields.js';
import { isBusy, useAsk } from './use-ask.js';

interface Draft extends Pick<Past, 'query' | 'search' | 'lists'> {
  /** Kept in memory only, and lost with the page. */
  readonly apiKey: string;
  readonly asHost: boolean;
}

/** Outlives the view, so that switching views loses nothing. */
let keptDraft: Draft = { query: '', search: {}, lists: {}, apiKey: '', asHost: true };

export function PlaygroundView({ session }: { session: Session }) {
  const choice = useChosenIds();
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
      {models[0] !== undefined && <Playground {...choice} session={session} models={models} firstModel={models[0]} />}
    </>
  );
}

interface PlaygroundProps extends ChosenIds {
  readonly session: Session;
  readonly models: readonly Model[];
  readonly firstModel: Model;
}

function Playground({ session, models, firstModel, ids, choose }: PlaygroundProps) {
  const [draft, setDraft] = useState(keptDraft);
  const columns = [useAsk(), useAsk(), useAsk(), useAsk()];
  const [asking, setAsking] = useState(0);
  const [history, setHistory] = useState(pastQuestions);
  const { chosen, leftOut } = chosenModels(models, firstModel, ids);
  const [model, ...others] = chosen;
  const { category } = model;
  const change = (part: Partial<Draft>) => {
    keptDraft = { ...keptDraft, ...part };
    setDraft(keptDraft);
  };
  const ask = () => {
    setHistory(remember({ ...draft, category, models: idsOf(chosen) }));
    setAsking(chosen.length);
    chosen.forEach((one, at) => void columns[at]?.start(targetOf(session, draft), one.id, callOf(one, draft)));
  };
  const isAsking = columns.some(({ asked }) => isBusy(asked));
  const { list, action } = KINDS[category];
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
          <Query category={category} draft={draft} change={change} />
          <ModelPicker
            models={models}
            model={model}
            onModel={(id) => choose([id, ...others.map((one) => one.id)].join(','))}
          />
          <Credential session={session} draft={draft} change={change} />
          {isAsking ? (
            <StopButton onStop={() => columns.forEach(({ stop }) => stop())} />
          ) : (
            <button type="submit" class="primary">
              {action}
            </button>
          )}
        </div>
        <ModelChips
          models={models.filter((one) => one.category === category)}
          chosen={chosen}
          onChosen={(newly) => choose(idsOf(newly))}
        />
        {list && <List category={category} words={list} draft={draft} change={change} />}
        <p class="hint">{[...factsOf(chosen, draft.search), ...notesOf(session, draft, leftOut)].join(' · ')}</p>
        {(category === 'answer' || category === 'search') && (
          <SearchFields models={chosen} texts={draft.search} onTexts={(search) => change({ search })} />
        )}
      </form>
      <Answers columns={columns} asking={asking} places={chosen.length} hasRequests={session.has_requests} />
      <RequestCode call={callOf(model, draft)} answerUrl={session.answer_url} />
      <History
        history={history}
        onChosen={({ query, search, lists, ...past }) => {
          change({ query, search, lists });
          if (past.category !== category) choose(past.models);
        }}
      />
    </>
  );
}

/** Of one model what it is, of several what they cost together and which options they lack. */
function factsOf(chosen: Chosen['chosen'], texts: SearchTexts): readonly string[] {
  const [{ category, name, price, features, policies }, ...others] = chosen;
  if (others.length === 0) return [category, name, price, ...features, ...policies];
  const lacked = chosen.map((model) => ({ id: model.id, labels: lackedOptions(model, chosen, texts) }));
  const asked = lacked.flatMap(({ id, labels }) => (labels.length === 0 ? [] : `${id} without: ${labels.join(', ')}`));
  return [priceBefore(chosen), ...asked];
}

function notesOf(session: Session, draft: Draft, leftOut: readonly string[]): readonly string[] {
  return [
    ...(isAskedAsHost(session, draft) ? ['charged to the organization of the host'] : []),
    ...(leftOut.length > 0 ? [`not known, of another kind, or too many: ${leftOut.join(', ')}`] : []),
  ];
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

/** Each question is asked again of the chosen models; a link chooses those that were asked. */
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
            <a class="hint" href={linkTo('playground', { models: past.models })} title="Choose these models">
              {past.models.replaceAll(',', ', ')}
            </a>
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
