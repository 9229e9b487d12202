import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks';
import type { Model, Page, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { getJson } from '../api.js';
import { Field, Select } from '../ui/field.js';
import { Empty, ErrorNotice, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { Answers, type Asking, type Columns } from './answers.js';
import type { AskTarget } from './ask.js';
import { type Chosen, chosenModels, idsOf, MAX_MODELS, priceBefore } from './chosen-models.js';
import { type Past, pastQuestions, remember } from './history.js';
import { HistoryList } from './history-list.js';
import { CATEGORIES, type Call, KINDS } from './kinds.js';
import { ModelChips } from './model-chips.js';
import { RequestCode } from './request-code.js';
import { givenOptions, lackedOptions, SearchFields } from './search-fields.js';
import { isBusy, useAsk } from './use-ask.js';

interface Draft extends Pick<Past, 'query' | 'search' | 'lists'> {
  /** Kept in memory only, and lost with the page. */
  readonly apiKey: string;
  readonly asHost: boolean;
}

/** Outlives the view, so that switching views loses nothing. */
let keptDraft: Draft = { query: '', search: {}, lists: {}, apiKey: '', asHost: true };
/** Of the address, which other views do not have. */
let keptModels = '';

/** The models are in the address, so that a comparison can be linked. The question is not: browsers keep addresses, and people send them on. */
function useModels(): Pick<PlaygroundProps, 'ids' | 'choose'> {
  const { view, params, change } = useAddress();
  const { models: ids = '' } = params;
  useLayoutEffect(() => {
    if (ids === '' && keptModels !== '') location.replace(linkTo(view, { ...params, models: keptModels }));
    // Only where the view opens: Back may lead to an address without models.
  }, []);
  useEffect(() => {
    if (view === 'playground') keptModels = ids;
  }, [view, ids]);
  return { ids, choose: (models) => change({ models }) };
}

export function PlaygroundView({ session }: { session: Session }) {
  const choice = useModels();
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

interface PlaygroundProps {
  readonly session: Session;
  readonly models: readonly Model[];
  readonly firstModel: Model;
  /** Of the chosen models, separated by commas. */
  readonly ids: string;
  readonly choose: (ids: string) => void;
}

function Playground({ session, models, firstModel, ids, choose }: PlaygroundProps) {
  const [draft, setDraft] = useState(keptDraft);
  const columns: Columns = [useAsk(), useAsk(), useAsk(), useAsk()];
  const [round, setRound] = useState<readonly Asking[]>([]);
  const [history, setHistory] = useState(pastQuestions);
  const { chosen, leftOut } = chosenModels(models, firstModel, ids);
  const [{ category }] = chosen;
  const change = (part: Partial<Draft>) => {
    keptDraft = { ...keptDraft, ...part };
    setDraft(keptDraft);
  };
  const ask = () => {
    setHistory(remember({ ...draft, category, models: idsOf(chosen) }));
    setRound(chosen.map((model) => ({ id: model.id, without: lackedOptions(model, chosen, draft.search) })));
    for (const [at, model] of chosen.entries()) void columns[at]?.start(targetOf(session, draft), callOf(model, draft));
  };
  return (
    <>
      <AskForm
        {...{ session, models, chosen, draft, change }}
        isAsking={columns.some(({ asked }) => isBusy(asked))}
        onChosen={(newly) => choose(idsOf(newly))}
        onAsk={ask}
        onStop={() => columns.forEach(({ stop }) => stop())}
      />
      {leftOut.length > 0 && (
        <p class="hint">
          Left out of the address: {leftOut.join(', ')}. Up to {MAX_MODELS} known models of one kind are compared.
        </p>
      )}
      <Answers round={round} columns={columns} places={Math.max(chosen.length, round.length)} session={session} />
      <RequestCode call={callOf(chosen[0], draft)} answerUrl={session.answer_url} />
      <HistoryList
        history={history}
        onChosen={({ query, search, lists, ...past }) => {
          change({ query, search, lists });
          if (past.category !== category) choose(past.models);
        }}
      />
    </>
  );
}

interface AskFormProps extends DraftProps {
  readonly session: Session;
  readonly models: readonly Model[];
  readonly chosen: Chosen['chosen'];
  readonly isAsking: boolean;
  readonly onChosen: (chosen: readonly Model[]) => void;
  readonly onAsk: () => void;
  readonly onStop: () => void;
}

function AskForm({ session, models, chosen, draft, change, isAsking, onChosen, onAsk, onStop }: AskFormProps) {
  const [model, ...others] = chosen;
  const { category, name, price, features, policies } = model;
  const { list, action } = KINDS[category];
  const lacked = chosen.map((one) => [one.id, lackedOptions(one, chosen, draft.search)] as const);
  const notes = lacked.flatMap(([id, labels]) => (labels.length === 0 ? [] : [`${id} without: ${labels.join(', ')}`]));
  const facts = others.length > 0 ? [priceBefore(chosen), ...notes] : [category, name, price, ...features, ...policies];
  const chooseFirst = (id: string) => {
    const first = models.filter((one) => one.id === id);
    onChosen([...first, ...others.filter((one) => one.id !== id && one.category === first[0]?.category)]);
  };
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isAsking) onAsk();
      }}
    >
      <div class="ask-row">
        <Query category={category} draft={draft} change={change} />
        <ModelPicker models={models} model={model} onModel={chooseFirst} />
        <Credential session={session} draft={draft} change={change} />
        {isAsking ? (
          <button
            type="button"
            onClick={(event) => {
              // The same element is the button that asks, before the browser has done what a click does.
              event.preventDefault();
              onStop();
            }}
          >
            Stop
          </button>
        ) : (
          <button type="submit" class="primary">
            {action}
          </button>
        )}
      </div>
      <ModelChips models={models.filter((one) => one.category === category)} chosen={chosen} onChosen={onChosen} />
      {list && <List category={category} words={list} draft={draft} change={change} />}
      <p class="hint">
        {[...facts, ...(isAskedAsHost(session, draft) ? ['charged to the organization of the host'] : [])].join(' · ')}
      </p>
      {(category === 'answer' || category === 'search') && (
        <SearchFields models={chosen} texts={draft.search} onTexts={(search) => change({ search })} />
      )}
    </form>
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
