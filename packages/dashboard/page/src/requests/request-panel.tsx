import type { ComponentChildren } from 'preact';
import type { RequestRow, RequestWithAttempts, Session } from '../../../src/api/contract.js';
import { linkTo, useAddress } from '../address.js';
import { ApiError, apiUrl, getJson } from '../api.js';
import { milliseconds, timeOfDay, usd } from '../format.js';
import { rangeParams, sharedParams } from '../time-range.js';
import { CopyButton, Cut, Empty, ErrorNotice, Skeleton } from '../ui/parts.js';
import { SidePanel } from '../ui/side-panel.js';
import { useLoad } from '../use-load.js';
import { CapturedText } from './captured-text.js';
import { type KeyLabels, keyLabel, linkToKey } from './columns.js';
import { causeText, explain } from './explain.js';
import { Waterfall } from './waterfall.js';

interface RequestPanelProps {
  readonly session: Session;
  /** Of the request or its answer. */
  readonly id: string;
  /** As the list has it. */
  readonly row: RequestRow | undefined;
  readonly labels: KeyLabels;
  readonly onClose: () => void;
  /** Goes to the row before (`-1`) or the next (`1`); `undefined` where there is none. */
  readonly stepOf: (by: -1 | 1) => (() => void) | undefined;
  readonly focusAfter: () => HTMLElement | null;
}

/** A call: how it ended and why, its attempts in time, what was asked for and what came, and its money. */
export function RequestPanel({ session, id, row, labels, onClose, stepOf, focusAfter }: RequestPanelProps) {
  const path = `requests/${encodeURIComponent(id)}`;
  const { data, error, reload } = useLoad(apiUrl(path), () => getJson<RequestWithAttempts>(path));
  const isMissing = error instanceof ApiError && error.status === 404;
  // Not that of the row before.
  const call = data?.request_id === id || data?.answer_id === id ? data : undefined;
  const known = call ?? row;
  const title = known === undefined ? 'Request' : `${known.at.slice(0, 10)} ${timeOfDay(known.at)}`;
  return (
    <SidePanel title={title} actions={<Steps stepOf={stepOf} />} onClose={onClose} focusAfter={focusAfter}>
      {isMissing ? (
        <Empty>The log has no such call: it may be too old, or not yours to see.</Empty>
      ) : (
        <ErrorNotice error={error} onRetry={reload} />
      )}
      {known !== undefined && <Ending call={known} whole={call} />}
      {call !== undefined && <Attempts call={call} />}
      {call === undefined && error === undefined && <Skeleton what="the attempts" />}
      {known !== undefined && <CapturedText requestId={known.request_id} session={session} />}
      {known !== undefined && <Facts call={known} labels={labels} />}
    </SidePanel>
  );
}

function Steps({ stepOf }: Pick<RequestPanelProps, 'stepOf'>) {
  return (
    <>
      <button type="button" aria-label="Newer request" aria-disabled={stepOf(-1) === undefined} onClick={stepOf(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Older request" aria-disabled={stepOf(1) === undefined} onClick={stepOf(1)}>
        ↓
      </button>
    </>
  );
}

function Ending({ call, whole }: { call: RequestRow; whole: RequestWithAttempts | undefined }) {
  const { sentence, advice } = whole === undefined ? { sentence: causeText(call), advice: [] } : explain(whole);
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

function Attempts({ call }: { call: RequestWithAttempts }) {
  return (
    <section aria-label="Attempts">
      <h3>Attempts</h3>
      {call.attempts.length === 0 ? <p class="hint">No provider was asked.</p> : <Waterfall call={call} />}
    </section>
  );
}

const HOUR_MS = 3_600_000;

function Facts({ call, labels }: { call: RequestRow; labels: KeyLabels }) {
  const { at, key_id, organization_id, model, model_asked, upstream_ms, duration_ms, first_part_ms } = call;
  const hourMs = Math.floor(Date.parse(at) / HOUR_MS) * HOUR_MS;
  const hour = rangeParams(hourMs, hourMs + HOUR_MS);
  const key = keyLabel(labels, key_id);
  const shared = sharedParams(useAddress().params);
  return (
    <>
      <section aria-label="Asked and answered">
        <h3>Asked and answered</h3>
        <dl class="pairs">
          <Pair name="Kind">{call.endpoint}</Pair>
          <Pair name="Asked for">{model_asked ?? 'no model'}</Pair>
          <Pair name="Answered by">{call.status < 400 ? (model ?? 'the gateway') : 'nobody'}</Pair>
          <Pair name="Status">{call.reason === null ? call.status : `${call.status} ${call.reason}`}</Pair>
          <Pair name="Time">
            {milliseconds(duration_ms)}, of which {milliseconds(upstream_ms)} at providers
            {first_part_ms !== null && `; first part after ${milliseconds(first_part_ms)}`}
          </Pair>
          <Pair name="Sent">{call.stream ? 'as a stream' : 'at once'}</Pair>
          <Pair name="Cache">{call.cache ?? 'not asked'}</Pair>
          {call.tag !== null && <Pair name="Tag">{call.tag}</Pair>}
        </dl>
      </section>
      <section aria-label="Money">
        <h3>Money</h3>
        <dl class="pairs">
          <Pair name={call.byok ? 'Charged as a fee' : 'Charged'}>
            {call.cost === null ? 'nothing' : usd(call.cost)}
            {call.byok && ' (the provider bills the organization)'}
          </Pair>
          <Pair name="Owed to providers">{call.upstream_cost === null ? 'unknown' : usd(call.upstream_cost)}</Pair>
          <Pair name="Lost">{usd(call.loss)}</Pair>
          {call.budgets.length > 0 && <Pair name="Budgets">{call.budgets.join(', ')}</Pair>}
        </dl>
      </section>
      <section aria-label="Related">
        <h3>Related</h3>
        <dl class="pairs">
          <Pair name="Key">
            <Cut href={linkToKey(key_id, shared)}>{key}</Cut>
          </Pair>
          <Pair name="Organization">
            <a href={linkTo('keys', { ...shared, organization: organization_id })}>{organization_id}</a>
          </Pair>
          <Pair name="The same hour">
            <a href={linkTo('requests', { key: key_id, ...hour })}>of this key</a>
            {model !== null && (
              <>
                {' · '}
                <a href={linkTo('requests', { model, ...hour })}>of {model}</a>
              </>
            )}
          </Pair>
          <Pair name="Request">
            <code>{call.request_id}</code> <CopyButton text={call.request_id} />
          </Pair>
          {call.answer_id !== null && (
            <Pair name="Answer">
              <code>{call.answer_id}</code> <CopyButton text={call.answer_id} />
            </Pair>
          )}
        </dl>
      </section>
    </>
  );
}

function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
