import type { AnswerRequest } from '@searchgate/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model, Session } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { requestLog } from '../live/request-log.js';
import { Field, Select } from '../ui/field.js';
import { Empty, ErrorNotice, Loading } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { AnswerPanel } from './answer-panel.js';
import type { AskTarget } from './ask.js';
import { RequestCode } from './request-code.js';
import { SearchFields, type SearchTexts, searchOf } from './search-fields.js';
import { useAsk } from './use-ask.js';

interface Draft {
  readonly modelId: string;
  readonly query: string;
  readonly search: SearchTexts;
  /** Kept in memory only, and lost with the page. */
  readonly apiKey: string;
  readonly asHost: boolean;
}

/** Outlives the view, so that switching views loses nothing. */
let keptDraft: Draft = { modelId: '', query: '', search: {}, apiKey: '', asHost: true };

export function PlaygroundView({ session }: { session: Session }) {
  const models = useLoad('models', () => getJson<{ models: Model[] }>('models'));
  if (!session.canAsk && session.answerUrl === null) {
    return <Empty>Asking is not set up. The host can allow it by the options of the dashboard.</Empty>;
  }
  return (
    <>
      <ErrorNotice error={models.error} onRetry={models.reload} />
      {models.data === undefined && models.isLoading && <Loading what="the models" />}
      {models.data?.models.length === 0 && <Empty>No model can be asked. Add a provider to the gateway.</Empty>}
      {models.data?.models[0] !== undefined && (
        <Playground session={session} models={models.data.models} firstModel={models.data.models[0]} />
      )}
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
  // Past events are not sent again, so listen before the request to see its event.
  useEffect(() => requestLog.listen(() => undefined), []);
  const change = (part: Partial<Draft>) => {
    keptDraft = { ...keptDraft, ...part };
    setDraft(keptDraft);
  };
  const model = models.find(({ id }) => id === draft.modelId) ?? firstModel;
  const search = searchOf(model.options, draft.search);
  const request: AnswerRequest = { model: model.id, query: draft.query, ...(search && { search }) };
  const isBusy = asked?.phase === 'waiting' || asked?.phase === 'streaming';
  return (
    <>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void start(targetOf(session, draft), request);
        }}
      >
        <Query query={draft.query} onQuery={(query) => change({ query })} />
        <div class="grid">
          <ModelPicker models={models} model={model} onModel={(modelId) => change({ modelId })} />
          <Credential session={session} draft={draft} change={change} />
        </div>
        <SearchFields options={model.options} texts={draft.search} onTexts={(texts) => change({ search: texts })} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Ask
          </button>
          {isBusy && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </div>
      </form>
      <AnswerPanel asked={asked} text={text} />
      <RequestCode request={request} answerUrl={session.answerUrl} />
    </>
  );
}

function Query({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  return (
    <div class="field">
      <label for="query">Question</label>
      <textarea
        id="query"
        required
        rows={2}
        value={query}
        placeholder="What do you want to know?"
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}

interface ModelPickerProps {
  readonly models: readonly Model[];
  readonly model: Model;
  readonly onModel: (id: string) => void;
}

function ModelPicker({ models, model, onModel }: ModelPickerProps) {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return (
    <div>
      <Select label="Model" value={model.id} onValue={onModel}>
        {providers.map((provider) => (
          <optgroup key={provider} label={provider}>
            {models
              .filter((one) => one.provider === provider)
              .map(({ id, price }) => (
                <option key={id} value={id}>
                  {id} · {price}
                </option>
              ))}
          </optgroup>
        ))}
      </Select>
      <small class="hint">{[model.name, model.price, ...model.features].join(' · ')}</small>
    </div>
  );
}

interface CredentialProps {
  readonly session: Session;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

/** Chooses the asker: the host, or the owner of a key. */
function Credential({ session, draft, change }: CredentialProps) {
  const asHost = isAskedAsHost(session, draft);
  return (
    <div>
      {session.canAsk && session.answerUrl !== null && (
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
      {asHost ? (
        <small class="hint">Charged to the organization of the host.</small>
      ) : (
        <Field
          label="API key"
          type="password"
          required
          value={draft.apiKey}
          onValue={(apiKey) => change({ apiKey })}
          hint="Kept in the memory of this page only."
        />
      )}
    </div>
  );
}

function isAskedAsHost({ canAsk, answerUrl }: Session, { asHost }: Draft): boolean {
  return canAsk && (asHost || answerUrl === null);
}

function targetOf(session: Session, draft: Draft): AskTarget {
  if (isAskedAsHost(session, draft) || session.answerUrl === null) return { url: 'api/ask', apiKey: null };
  return { url: session.answerUrl, apiKey: draft.apiKey.trim() };
}
