import type { Gateway, ModelEntry, NanoUsd } from '@searchgate/core';
import type { LimitReset } from '@searchgate/core/ledger';
import { DEMO_CREDITS } from './demo-config.js';
import { usd } from './usd.js';

export interface Notice {
  readonly gateway: Gateway;
  /** Where the service is reached, without a final slash. */
  readonly url: string;
  /** `null` when there is a configuration, whose secrets are not printed. */
  readonly demo: DemoNotice | null;
  /** A question that the documents answer. */
  readonly question: string;
}

/** The demo key as it is now: an administrator may have changed it since it was made. */
export interface DemoNotice {
  readonly secret: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly isRevoked: boolean;
  /** Where the key and its spending outlive the process; `null` where they do not. */
  readonly kept: { readonly ledger: string; readonly keyFile: string } | null;
}

/** Answers without an account: asked where no provider's key was given. */
const WITHOUT_ACCOUNT = 'local/docs';

/** What the operator is told at the start: which models can be called and how to ask the first question. */
export function startNotice({ gateway, url, demo, question }: Notice): string {
  const models = gateway.models({ category: 'answer' });
  const model = models.find(({ id }) => id !== WITHOUT_ACCOUNT) ?? models[0];
  const width = Math.max(...models.map(({ id }) => id.length));
  const token = demo === null || demo.isRevoked ? '$SEARCHGATE_API_KEY' : demo.secret;
  return [
    `Searchgate listens on ${url}`,
    '',
    'Models that can be called:',
    ...models.map(({ id, pricing }) => `  ${id.padEnd(width)}  ${priceText(pricing)}`),
    '',
    ...termsLines(models),
    ...(demo === null ? [] : demoLines(demo)),
    'Ask a question:',
    '',
    `  ${curl(`${url}/api/v1/answer`, token)} -H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify({ model: model?.id, query: question }))}`,
    '',
    'See what it cost:',
    '',
    `  ${curl(`${url}/api/v1/key`, token)}`,
    `  ${curl(`${url}/api/v1/credits`, token)}`,
    '',
  ].join('\n');
}

/** What the terms of a provider ask that the answers of the gateway cannot give. */
function termsLines(models: readonly ModelEntry[]): string[] {
  if (!models.some(({ provider }) => provider === 'google')) return [];
  return [
    'Google: its terms ask that its search suggestions are shown with each answer. Answers do not carry them.',
    'Do not show answers of google/ models to users: docs/providers/google.md',
    '',
  ];
}

function demoLines({ secret, limit, limitReset, isRevoked, kept }: DemoNotice): string[] {
  if (isRevoked)
    return [
      `The demo key was revoked, and there is no SEARCHGATE_CONFIG. Remove ${kept?.keyFile} to get another one.`,
      '',
    ];
  const share = limit === null ? 'all of it' : `${usd(limit)} of it${limitReset === null ? '' : `, ${limitReset}`}`;
  return [
    `There is no SEARCHGATE_CONFIG, so here is a demo organization with $${DEMO_CREDITS} and a key that may spend ${share}.`,
    kept === null
      ? 'Both are forgotten when the service stops. The key is shown only here:'
      : `Both survive a restart, as does what is spent: in ${kept.ledger}, and the key in ${kept.keyFile}:`,
    '',
    `  ${secret}`,
    '',
    ...(kept === null ? [] : ['Make organizations and keys of your own: npm run admin -- --help', '']),
  ];
}

function priceText({
  request,
  perMillionInputTokens,
  perMillionOutputTokens,
  perSearch,
}: ModelEntry['pricing']): string {
  if (request !== '-1') return `$${request ?? '?'} a request`;
  const parts = [
    [perMillionInputTokens, 'a million input tokens'],
    [perMillionOutputTokens, 'a million output tokens'],
    [perSearch, 'a search'],
  ] as const;
  const known = parts.flatMap(([price, unit]) => (price === undefined ? [] : [`$${price} ${unit}`]));
  return known.length === 0 ? 'by use' : `by use: ${known.join(', ')}`;
}

function curl(url: string, token: string): string {
  return `curl -s ${url} -H "Authorization: Bearer ${token}"`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
