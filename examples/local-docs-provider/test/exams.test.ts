import { expect, it } from 'vitest';
import { DEMO_QUESTIONS, demoDocuments } from '../src/documents.js';
import { createPassageIndex } from '../src/passage-index.js';
import { passagesOf } from '../src/passages.js';

const find = createPassageIndex(demoDocuments().documents.flatMap(passagesOf));
const saidOn = (question: string) => String(find(question, 5).map(({ text }) => text));

/** A newcomer's question, and a pattern of the right answer. */
const IN_SCOPE: [question: string, says: RegExp][] = [
  ['How do I mount it in Express?', /gatewayRouter/],
  ['How do I give a key a monthly limit?', /--reset monthly|limitReset/],
  ['Which ledgers are there?', /postgres.*redis|redis.*postgres/is],
  ['How do I stream an answer?', /stream"?: ?true/],
  ['What does the error budget_in_flight mean?', /hold/],
  ['Does it run on Bun or Deno?', /Deno/],
  ['How do I use it with the OpenAI client?', /baseURL|base_url|chatCompletions/],
  ['How do I restrict answers to some domains?', /include_domains/],
  ['How do I write a provider of my own?', /provider-kit/],
  ['What happens when a provider is down?', /fallback/],
  ['How do I rotate an API key?', /rotate/],
  ['Where are the metrics for Prometheus?', /METRICS_PORT|gatewayMetrics/],
  ['How do I set fallbacks for a model?', /fallbacks/],
  ['Can I use my own users instead of API keys?', /authenticate/],
  ['How do I limit the requests per minute of a key?', /rateLimit|rate_limit/],
  ['Which version of Node is needed?', /20\.19/],
  ['How do I see what was spent by each model?', /usage --by model|by: 'model'/],
  ['How do I get a webhook when credits run low?', /webhook/i],
  ['How do I run it behind nginx?', /buffering/],
  ['How do I retry without paying twice?', /Idempotency-Key/i],
];

const OUT_OF_SCOPE = `How do I bake sourdough bread? What is the capital of France? How do I center a div in CSS?
  How do I train a neural network in PyTorch? Who won the World Cup in 2022? How do I configure a Kubernetes ingress?
  How do I write a React component with hooks? What is the best laptop for students? How do I rebase a git branch?
  How do I set a body timeout in undici? How do I parse JSON in Rust? How do I resize an image with sharp?
  Is there a mobile app for iPhone? How do I send an email with nodemailer?
  How do I deploy a Lambda function with Terraform? What is the weather in Berlin today?
  How do I validate a form with Angular? How do I hash passwords with bcrypt in Django?
  How do I write a join in MySQL? How do I cook rice in a microwave?`.split(/(?<=\?)\s+/);

it('is right for 14 of 20 questions in scope', () => {
  const right = IN_SCOPE.filter(([question, says]) => says.test(saidOn(question)));
  expect(right.length).toBeGreaterThanOrEqual(14);
});

it('refuses 12 of 20 questions out of scope', () => {
  const refused = OUT_OF_SCOPE.filter((question) => saidOn(question) === '');
  expect(refused.length).toBeGreaterThanOrEqual(12);
});

it.each([
  ['How do I mount it in a Koa application?', 'docs/hosts/koa.md'],
  ['Does it run on Bun or Deno?', 'docs/hosts/bun-deno.md'],
  ['How do I use it with the OpenAI client?', 'docs/clients/openai.md'],
  ['Which options does the Exa provider have?', 'docs/providers/exa.md'],
  ['How do I ask follow-up questions?', 'docs/conversations.md'],
  ['How do I make embeddings?', 'docs/embeddings.md'],
])('cites the page about it: %s', (question, page) => {
  expect(find(question, 5).map(({ url }) => url.replace(/.*\/main\/|#.*/g, ''))).toContain(page);
});

it('answers the questions of the start notice', () => {
  const [koa, metrics] = DEMO_QUESTIONS.map(saidOn);
  expect([koa, metrics]).toEqual([
    expect.stringContaining('@searchgate/koa'),
    expect.stringMatching(/METRICS_PORT|gatewayMetrics/),
  ]);
});
