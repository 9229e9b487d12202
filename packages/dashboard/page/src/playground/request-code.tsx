import { pathOf } from '../../../src/api/path-of.js';
import { CopyButton } from '../ui/parts.js';
import type { Call } from './kinds.js';

const UNKNOWN_URL = 'https://your-host.example/search/api/v1/answer';

interface RequestCodeProps {
  readonly call: Call;
  /** The URL of `POST /api/v1/answer`; `null` if the host did not give it. */
  readonly answerUrl: string | null;
}

/** The request as a command, with a placeholder for the key. */
export function RequestCode({ call, answerUrl }: RequestCodeProps) {
  const code = curlCode(call, answerUrl === null ? UNKNOWN_URL : new URL(answerUrl, location.href).href);
  return (
    <details>
      <summary>Request as code</summary>
      <CopyButton text={code} label="Copy curl" />
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </details>
  );
}

export function curlCode({ category, request }: Pick<Call, 'category' | 'request'>, answerUrl: string): string {
  const isAnswer = category === 'answer';
  const body = JSON.stringify({ ...wireNames(request), ...(isAnswer && { stream: true }) });
  return [
    `curl ${isAnswer ? '-N ' : ''}${new URL(pathOf(category), answerUrl).href} \\`,
    '  -H "Authorization: Bearer $SEARCHGATE_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}

function wireNames(fields: object): object {
  const renamed = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name === 'search' ? wireNames(value as object) : value,
  ]);
  return Object.fromEntries(renamed) as object;
}
