import type { Gateway, ListedPricing } from '@searchgate/core';
import { DEMO_CREDITS, DEMO_LIMIT } from './demo-config.js';

export interface Notice {
  readonly gateway: Gateway;
  /** Where the service is reached, without a final slash. */
  readonly url: string;
  /** The demo key's secret; `null` when there is a configuration, whose secrets are not printed. */
  readonly demoSecret: string | null;
  /** A question that the documents answer. */
  readonly question: string;
}

/** Answers without an account. */
const FIRST_CHOICE = 'local/docs';

/** What the operator is told at the start: which models can be called and how to ask the first question. */
export function startNotice({ gateway, url, demoSecret, question }: Notice): string {
  const models = gateway.models({ category: 'answer' });
  const model = models.find(({ id }) => id === FIRST_CHOICE) ?? models[0];
  const width = Math.max(...models.map(({ id }) => id.length));
  const token = demoSecret ?? '$SEARCHGATE_API_KEY';
  return [
    `Searchgate listens on ${url}`,
    '',
    'Models that can be called:',
    ...models.map(({ id, pricing }) => `  ${id.padEnd(width)}  ${priceText(pricing)}`),
    '',
    ...(demoSecret === null ? [] : demoLines(demoSecret)),
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

function demoLines(secret: string): string[] {
  return [
    `There is no SEARCHGATE_CONFIG, so here is a demo organization with $${DEMO_CREDITS} and a key that may spend $${DEMO_LIMIT} of it.`,
    'Both are forgotten when the service stops. The key is shown only here:',
    '',
    `  ${secret}`,
    '',
  ];
}

function priceText({ request, perMillionInputTokens, perMillionOutputTokens, perSearch }: ListedPricing): string {
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
