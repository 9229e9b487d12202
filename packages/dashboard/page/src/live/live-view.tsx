import { useEffect, useState } from 'preact/hooks';
import type { RequestLine } from '../../../src/api/contract.js';
import { count, milliseconds, plural, timeOfDay, usd } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Field, Select } from '../ui/field.js';
import { Empty } from '../ui/parts.js';
import { type LogSnapshot, MAX_LINES, requestLog } from './request-log.js';

const COLUMNS: readonly Column<RequestLine>[] = [
  { title: 'Time (UTC)', cell: ({ at }) => <time dateTime={at}>{timeOfDay(at)}</time> },
  { title: 'Status', cell: (line) => <Status line={line} /> },
  { title: 'Endpoint', cell: ({ endpoint }) => endpoint },
  { title: 'Model', cell: ({ model }) => model ?? '–' },
  { title: 'Cost', cell: ({ cost }) => (cost === null ? '–' : usd(cost)), isNumber: true },
  { title: 'Duration', cell: ({ duration_ms }) => milliseconds(duration_ms), isNumber: true },
  { title: 'First content', cell: ({ first_content_ms }) => milliseconds(first_content_ms), isNumber: true },
  { title: 'Tries', cell: ({ attempts }) => count(attempts), isNumber: true },
  { title: 'Cache', cell: ({ cache }) => cache ?? '–' },
  { title: 'Organization', cell: ({ organization_id }) => organization_id ?? '–' },
  { title: 'Key', cell: ({ key_id }) => key_id ?? '–' },
  { title: 'Request', cell: ({ request_id }) => <code>{request_id}</code> },
];

export function LiveView() {
  const [log, setLog] = useState<LogSnapshot>();
  const [paused, setPaused] = useState<LogSnapshot>();
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState('');
  useEffect(() => requestLog.listen(setLog), []);
  if (log === undefined) return null;

  const lines = (paused ?? log).requests.filter((line) => isMatch(line, text, outcome));
  const arrived = paused === undefined ? 0 : log.requests.findIndex((line) => line === paused.requests[0]);
  return (
    <>
      <div class="toolbar">
        <Field label="Filter" type="search" value={text} onValue={setText} placeholder="model, key, reason …" />
        <Select label="Outcome" value={outcome} onValue={setOutcome} options={OUTCOMES} />
        <button type="button" aria-pressed={paused !== undefined} onClick={() => setPaused(paused ? undefined : log)}>
          {paused ? 'Resume' : 'Pause'}
        </button>
        <Connection log={log} />
      </div>
      {paused !== undefined && (
        <p class="hint" role="status">
          Paused. {arrived === -1 ? 'Many new requests wait.' : `${plural(arrived, 'new request')} since.`}
        </p>
      )}
      <ProviderLine log={paused ?? log} />
      {log.dropped > 0 && (
        <p class="hint">{plural(log.dropped, 'request')} came faster than they could be sent, and are not shown.</p>
      )}
      {lines.length > 0 ? (
        <DataTable
          caption={`The last requests, newest first, at most ${MAX_LINES}`}
          columns={COLUMNS}
          rows={lines}
          rowKey={({ request_id, at }) => `${request_id} ${at}`}
        />
      ) : (
        <Empty>
          {log.requests.length === 0
            ? 'No requests since this page was opened. Ask something in the playground, or wait for callers.'
            : 'No request matches the filter.'}
        </Empty>
      )}
    </>
  );
}

const OUTCOMES = [
  ['', 'all'],
  ['answered', 'answered'],
  ['refused', 'refused (4xx)'],
  ['failed', 'failed (5xx)'],
] as const;

function isMatch(line: RequestLine, text: string, outcome: string): boolean {
  const { status } = line;
  const own = status < 400 ? 'answered' : status < 500 ? 'refused' : 'failed';
  if (outcome !== '' && outcome !== own) return false;
  const needle = text.trim().toLowerCase();
  return needle === '' || Object.values(line).some((value) => String(value).toLowerCase().includes(needle));
}

function Status({ line: { status, reason } }: { line: RequestLine }) {
  return (
    <span class={status < 400 ? 'good' : 'bad'}>
      {status}
      {reason !== null && ` ${reason}`}
    </span>
  );
}

function Connection({ log: { connection } }: { log: LogSnapshot }) {
  return (
    <span role="status" class="connection">
      {connection === 'open' && 'Connected'}
      {connection === 'connecting' && 'Connecting…'}
      {connection === 'closed' && (
        <>
          The server closed the connection. Sign in again, or{' '}
          <button type="button" onClick={() => requestLog.connect()}>
            connect again
          </button>
        </>
      )}
    </span>
  );
}

/** The last event of a provider. */
function ProviderLine({ log: { providers } }: { log: LogSnapshot }) {
  const [last] = providers;
  if (last === undefined) return null;
  return (
    <p class="hint">
      {timeOfDay(last.at)} {last.provider} {last.state}
      {last.reason !== null && `: ${last.reason}`}
    </p>
  );
}
