import type { Category, Gateway, ModelEntry, NanoUsd } from '@searchgate/core';
import type { LimitReset } from '@searchgate/core/ledger';
import { DEMO_CREDITS } from './demo-config.js';
import { usd } from './usd.js';

export interface Notice {
  readonly gateway: Gateway;
  /** The address of the service, without a trailing slash. */
  readonly url: string;
  /** `null` with a configuration, whose secrets are not printed. */
  readonly demo: DemoNotice | null;
  /** The subject of the documents, such as "the documentation of koa". */
  readonly about: string;
  /** Sample questions for the documents. */
  readonly questions: readonly string[];
  /** The address of a page that `local/extract` reads. */
  readonly page: string;
  /** The admin command as the operator types it. */
  readonly adminCommand: string;
  /** The page for operators, with a newly made password; `null` for no page. */
  readonly admin: { readonly madePassword: string | null } | null;
}

/** The current state of the demo key, which an administrator may have changed. */
export interface DemoNotice {
  readonly secret: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly isRevoked: boolean;
  /** Where the key and its spending are stored; `null` if they are lost at exit. */
  readonly kept: { readonly ledger: string; readonly keyFile: string } | null;
}

/** The provider that needs no account: proposed if no provider has a key. */
const LOCAL = 'local';
const WITHOUT_ACCOUNT = `${LOCAL}/docs`;

/** A question for models that search the web. */
const WEB_QUESTION = 'What is new in Node.js 24?';
const MAX_MODELS = 2;
const MAX_FREE = 3;
const MAX_COLUMNS = 100;

/** The operator's start notice: the callable models, the questions that need no account, and commands to paste. */
export function startNotice(notice: Notice): string {
  const { gateway, url, demo, about, questions, adminCommand, admin } = notice;
  const isLocal = ({ id }: ModelEntry) => id === WITHOUT_ACCOUNT;
  const callable = gateway.models({ callable: true });
  const answers = callable.filter(({ category }) => category === 'answer');
  const models = [...new Set([...answers.filter(isLocal), ...answers, ...callable])];
  return [
    `Searchgate listens on ${url}`,
    ...(admin === null ? [] : adminLines(url, admin)),
    ...modelLines(models),
    ...freeLines(gateway),
    ...termsLines(answers),
    ...wrapped(`${WITHOUT_ACCOUNT} answers from ${about}, such as: ${questions.join(' ')}`),
    '',
    ...(demo === null ? [] : demoLines(demo, admin === null ? adminCommand : null)),
    'GET /api/v1/key and /api/v1/credits say what was spent. Try it; the second ask() needs no curl:',
    `  key="Authorization: Bearer ${demo === null || demo.isRevoked ? '$SEARCHGATE_API_KEY' : demo.secret}"`,
    `  ask() { curl -s ${url}/api/v1/$1 -H "$key" -H 'Content-Type: application/json' -d "$2"; }`,
    `  ask() { node -e 'const [url,key,body]=process.argv.slice(1),headers=[key.split(": "),["Content-Type","application/json"]];`,
    `    fetch(url,{method:"POST",headers,body}).then(r=>r.text()).then(console.log)' ${url}/api/v1/$1 "$key" "$2"; }`,
    ...callLines(notice),
    '',
  ].join('\n');
}

const BRIDGE = ['The bridge is 200 m long.', 'The bridge opened in May.'];
/** What a call of each category says, beside its model. */
const CALLS: Readonly<Record<Category, (query: string, page: string) => object>> = {
  answer: (query) => ({ query }),
  search: (query) => ({ query }),
  extract: (_, page) => ({ urls: [page] }),
  rerank: () => ({ query: 'When did it open?', documents: BRIDGE }),
  embedding: () => ({ input: BRIDGE[1] }),
};

/** A call to paste of each category that has a model: of a vendor's model if there is one. */
function callLines({ gateway, questions: [question = ''], page }: Notice): string[] {
  return Object.entries(CALLS).flatMap(([category, fieldsOf]) => {
    const models = gateway.models({ category: category as Category, callable: true });
    const { id: model, provider } = models.find((entry) => entry.provider !== LOCAL) ?? models[0] ?? {};
    if (model === undefined) return [];
    const body = { model, ...fieldsOf(provider === LOCAL ? question : WEB_QUESTION, page) };
    return [`  ask ${category === 'embedding' ? 'embeddings' : category} ${shellQuoted(JSON.stringify(body))}`];
  });
}

function modelLines(models: readonly ModelEntry[]): string[] {
  const shown = models.slice(0, MAX_MODELS);
  const width = Math.max(...shown.map(({ id }) => id.length));
  const further = models.length - shown.length;
  return [
    'Models that can be called:',
    ...shown.map(({ id, pricing }) => `  ${id.padEnd(width)}  ${priceText(pricing)}`),
    ...(further === 0 ? [] : [`  and ${further} more: GET /api/v1/models`]),
  ];
}

function freeLines(gateway: Gateway): string[] {
  const free = gateway.models({ callable: true }).flatMap((entry) => (entry.free === true ? [entry.id] : []));
  return free.length === 0 ? [] : wrapped(`Free of charge: ${free.slice(0, MAX_FREE).join(', ')}`);
}

/** Provider terms that the gateway's answers cannot fulfill. */
function termsLines(models: readonly ModelEntry[]): string[] {
  if (!models.some(({ provider }) => provider === 'google')) return [];
  return ['Do not show answers of google/ models to users: docs/providers/google.md'];
}

/** @param adminCommand the command that makes keys; `null` if the page does. */
function demoLines({ limit, limitReset, isRevoked, kept }: DemoNotice, adminCommand: string | null): string[] {
  if (isRevoked)
    return [
      'The demo key was revoked, and there is no SEARCHGATE_CONFIG.',
      `Remove ${kept?.keyFile} to get another one.`,
    ];
  const share = limit === null ? 'all of it' : `${usd(limit)} of it${limitReset === null ? '' : `, ${limitReset}`}`;
  const more = adminCommand === null ? '' : ` Make your own: ${adminCommand} --help`;
  const howLong =
    kept === null
      ? 'Both are forgotten when the service stops.'
      : `Both survive a restart, in ${kept.ledger} and ${kept.keyFile}.${more}`;
  return [
    ...wrapped(`A demo organization has $${DEMO_CREDITS}, and the key below may spend ${share}.`),
    ...wrapped(howLong),
  ];
}

function adminLines(url: string, { madePassword }: NonNullable<Notice['admin']>): string[] {
  const password = madePassword === null ? '' : `, password (shown once): ${madePassword}`;
  return [`Page for operators: ${url}/admin${password}`];
}

/** Wraps text to fit a terminal. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length >= MAX_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function priceText(pricing: ModelEntry['pricing']): string {
  const { request, perMillionInputTokens, perMillionOutputTokens, perSearch } = pricing;
  if (typeof request === 'string' && request !== '-1') return `$${request} a request`;
  const tokens = [perMillionInputTokens, perMillionOutputTokens].flatMap((price) =>
    price === undefined ? [] : [`$${price}`],
  );
  const parts = [
    ...(tokens.length === 0 ? [] : [`${tokens.join(' in and ')}${tokens.length === 2 ? ' out' : ''} a million tokens`]),
    ...(perSearch === undefined ? [] : [`$${perSearch} a search`]),
  ];
  return parts.length === 0 ? 'by use' : `by use: ${parts.join(', ')}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
