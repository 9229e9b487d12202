import type { AnswerRequest } from '@searchgate/client';
import { useState } from 'preact/hooks';
import { CopyButton } from '../ui/copy-button.js';

const UNKNOWN_URL = 'https://your-host.example/search/api/v1/answer';

interface RequestCodeProps {
  readonly request: AnswerRequest;
  /** Of `POST /api/v1/answer`; `null` where the host did not say. */
  readonly answerUrl: string | null;
}

/** The request as a program makes it, with a placeholder in place of the key. */
export function RequestCode({ request, answerUrl }: RequestCodeProps) {
  const [language, setLanguage] = useState<'curl' | 'TypeScript'>('curl');
  const url = answerUrl === null ? UNKNOWN_URL : new URL(answerUrl, location.href).href;
  const code = language === 'curl' ? curlCode(request, url) : typeScriptCode(request, url);
  return (
    <details>
      <summary>Request as code</summary>
      <div class="toolbar">
        {(['curl', 'TypeScript'] as const).map((name) => (
          <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
        <CopyButton text={code} label={`Copy ${language}`} />
      </div>
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

export function typeScriptCode({ model, query, search }: AnswerRequest, answerUrl: string): string {
  const options = [
    `  model: ${JSON.stringify(model)},`,
    `  query: ${JSON.stringify(query)},`,
    ...(search ? [`  search: ${JSON.stringify(search)},`] : []),
  ];
  return [
    "import { createClient } from '@searchgate/client';",
    '',
    'const client = createClient({',
    `  baseUrl: '${answerUrl.replace(/\/api\/v1\/answer$/, '')}',`,
    '  apiKey: process.env.SEARCHGATE_API_KEY,',
    '});',
    'const answer = client.answerStream({',
    ...options,
    '});',
    'for await (const event of answer) {',
    "  if (event.type === 'delta') process.stdout.write(event.text);",
    '}',
  ].join('\n');
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
