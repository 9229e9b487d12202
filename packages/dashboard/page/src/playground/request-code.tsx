import type { AnswerRequest } from '@searchgate/client';
import { CopyButton } from '../ui/parts.js';

const UNKNOWN_URL = 'https://your-host.example/search/api/v1/answer';

interface RequestCodeProps {
  readonly request: AnswerRequest;
  /** The URL of `POST /api/v1/answer`; `null` if the host did not give it. */
  readonly answerUrl: string | null;
}

/** The request as a command, with a placeholder for the key. */
export function RequestCode({ request, answerUrl }: RequestCodeProps) {
  const code = curlCode(request, answerUrl === null ? UNKNOWN_URL : new URL(answerUrl, location.href).href);
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

export function curlCode({ model, query, search }: AnswerRequest, answerUrl: string): string {
  const wireSearch =
    search && Object.fromEntries(Object.entries(search).map(([name, value]) => [wireName(name), value]));
  const body = JSON.stringify({ model, query, search: wireSearch, stream: true });
  return [
    `curl -N ${answerUrl} \\`,
    '  -H "Authorization: Bearer $SEARCHGATE_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
