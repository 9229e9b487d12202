import { useEffect, useRef } from 'preact/hooks';
import type { RequestRow, RequestWithAttempts, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { ApiError, apiUrl, getJson } from '../api.js';
import { milliseconds, timeOfDay, usd } from '../format.js';
import { sharedParams } from '../time-range.js';
import { CopyButton, Cut, Empty, ErrorNotice, Fact, Skeleton } from '../ui/parts.js';
import { useLoad } from '../use-load.js';
import { CapturedText } from './captured-text.js';
import { type KeyLabels, keyLabel, linkId, linkToKey } from './columns.js';
import { explain } from './explain.js';
import { Waterfall } from './waterfall.js';

interface RequestPanelProps {
  readonly session: Session;
  /** Of the request or its answer. */
  readonly id: string;
  readonly labels: KeyLabels;
  readonly onClose: () => void;
}

/** A call beside the list, which stays usable: how it ended and why, its attempts in time, what was asked for and what came, and its money. */
export function RequestPanel({ session, id, labels, onClose }: RequestPanelProps) {
  const path = `requests/${encodeURIComponent(id)}`;
  const { data, error, reload } = useLoad(apiUrl(path), () => getJson<RequestWithAttempts>(path));
  const isMissing = error instanceof ApiError && error.status === 404;
  // Not that of the row before.
  const call = data?.request_id === id || data?.answer_id === id ? data : undefined;
  const ref = useRef<HTMLElement>(null);
  const rowId = useRef('');
  rowId.current = linkId(id);
  useEffect(() => {
    ref.current?.focus();
    return () => document.getElementById(rowId.current)?.focus();
  }, []);
  return (
    <aside ref={ref} class="side-panel" aria-labelledby="call" tabIndex={-1}>
      <div class="title-row">
        <h2 id="call">{call === undefined ? 'Request' : `${call.at.slice(0, 10)} ${timeOfDay(call.at)}`}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {isMissing ? (
        <Empty>The log has no such call: it may be too old, or not yours to see.</Empty>
      ) : (
        <ErrorNotice error={error} onRetry={reload} />
      )}
      {call === undefined && error === undefined && <Skeleton what="the call" />}
      {call !== undefined && (
        <>
          <Ending call={call} />
          <section aria-label="Attempts">
            <h3>Attempts</h3>
            {call.attempts.length === 0 ? <p class="hint">No provider was asked.</p> : <Waterfall call={call} />}
          </section>
          <CapturedText requestId={call.request_id} session={session} />
          <Facts call={call} labels={labels} />
        </>
      )}
    </aside>
  );
}

function Ending({ call }: { call: RequestWithAttempts }) {
  const { sentence, advice } = explain(call);
  return (
    <div class={call.status < 400 ? 'notice' : 'notice error'}>
      <div>
        <p>
          <strong>{sentence}</strong>
        </p>
        {advice.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

function Facts({ call, labels }: { call: RequestRow; labels: KeyLabels }) {
  const { key_id, organization_id, model, model_asked, upstream_ms, duration_ms, first_part_ms } = call;
  const key = keyLabel(labels, key_id);
  const shared = sharedParams(useAddress().params);
  return (
    <>
      <section aria-label="Asked and answered">
        <h3>Asked and answered</h3>
        <dl class="pairs">
          <Fact name="Kind">{call.endpoint}</Fact>
          <Fact name="Asked for">{model_asked ?? 'no model'}</Fact>
          <Fact name="Answered by">{call.status < 400 ? (model ?? 'the gateway') : 'nobody'}</Fact>
          <Fact name="Status">{call.reason === null ? call.status : `${call.status} ${call.reason}`}</Fact>
          <Fact name="Time">
            {milliseconds(duration_ms)}, of which {milliseconds(upstream_ms)} at providers
            {first_part_ms !== null && `; first part after ${milliseconds(first_part_ms)}`}
          </Fact>
          <Fact name="Sent">{call.stream ? 'as a stream' : 'at once'}</Fact>
          <Fact name="Cache">{call.cache ?? 'not asked'}</Fact>
          {call.tag !== null && <Fact name="Tag">{call.tag}</Fact>}
        </dl>
      </section>
      <section aria-label="Money">
        <h3>Money</h3>
        <dl class="pairs">
          <Fact name={call.byok ? 'Charged as a fee' : 'Charged'}>
            {call.cost === null ? 'nothing' : usd(call.cost)}
            {call.byok && ' (the provider bills the organization)'}
          </Fact>
          <Fact name="Owed to providers">{call.upstream_cost === null ? 'unknown' : usd(call.upstream_cost)}</Fact>
          <Fact name="Lost">{usd(call.loss)}</Fact>
          {call.budgets.length > 0 && <Fact name="Budgets">{call.budgets.join(', ')}</Fact>}
        </dl>
      </section>
      <section aria-label="Related">
        <h3>Related</h3>
        <dl class="pairs">
          <Fact name="Key">
            <Cut href={linkToKey(key_id, shared)}>{key}</Cut>
          </Fact>
          <Fact name="Organization">
            <a href={linkTo('keys', { ...shared, organization: organization_id })}>{organization_id}</a>
          </Fact>
          <Fact name="Request">
            <code>{call.request_id}</code> <CopyButton text={call.request_id} />
          </Fact>
          {call.answer_id !== null && (
            <Fact name="Answer">
              <code>{call.answer_id}</code> <CopyButton text={call.answer_id} />
            </Fact>
          )}
        </dl>
      </section>
    </>
  );
}
