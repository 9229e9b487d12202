import { formatUsd } from '@searchgate/core';
import {
  type AnswerCitation,
  type AnswerReply,
  costOf,
  replyValue,
  type WireFormat,
} from '@searchgate/core/extensions';
import { dataEvent } from '../forms/data-event.js';
import type { Form } from '../forms/form.js';
import { countryCode } from '../forms/values.js';
import { own } from '../openai/read-messages.js';
import { EXA_ERRORS } from './exa-error.js';
import FIELDS from './exa-fields.json' with { type: 'json' };

/** `POST /api/v1/exa/answer`, whole or as events. */
export function answerForm(model: string): Form<'answer'> {
  return {
    name: 'exa_answer',
    path: '/api/v1/exa/answer',
    category: 'answer',
    model,
    ...EXA_ERRORS,
    fields: {
      ...FIELDS.answer,
      rows: {
        query: 'query',
        stream: 'stream',
        systemPrompt: ['instructions', (text) => text || undefined],
        outputSchema: ['response_format', jsonFormat, 'response_format.json_schema.schema'],
        userLocation: ['search.country', countryCode],
        tag: 'tag',
      },
    },
    format: (body) => new ExaAnswerFormat((own(body, 'outputSchema') ?? undefined) !== undefined),
    about: {
      summary: 'Ask a question in the form of Exa',
      reply: ['requestId', 'answer', 'citations', 'costDollars'],
      event: 'A part of the text, or the sources so far.',
    },
  };
}

function jsonFormat(schema: unknown) {
  return { type: 'json_schema', json_schema: { schema } };
}

/** exa-js reads `choices[0].delta.content` and `citations` of each event (2.23.0, 2026-11-28). */
class ExaAnswerFormat implements WireFormat {
  readonly #isJson: boolean;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  body(reply: AnswerReply): string {
    const { id, answer, citations = [] } = replyValue(reply);
    const content = this.#isJson ? (JSON.parse(answer) as unknown) : answer;
    return withCost({ requestId: id, answer: content, citations: citations.map(sourceOf) }, reply);
  }

  startEvent(): string {
    return '';
  }

  citationsEvent(citations: readonly AnswerCitation[]): string {
    return dataEvent(JSON.stringify({ citations: citations.map(sourceOf) }));
  }

  deltaEvent(text: string): string {
    return dataEvent(JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] }));
  }

  doneEvent(reply: AnswerReply): string {
    const { citations = [] } = replyValue(reply);
    return `${dataEvent(withCost({ citations: citations.map(sourceOf) }, reply))}data: [DONE]\n\n`;
  }

  errorEvent(body: string): string {
    return dataEvent(body);
  }
}

/** As text: a number could be written with an exponent. */
function withCost(fields: object, reply: AnswerReply): string {
  return `${JSON.stringify(fields).slice(0, -1)},"costDollars":{"total":${formatUsd(costOf(reply))}}}`;
}

function sourceOf({ url, title, snippet }: AnswerCitation) {
  return { id: url, url, title, ...(snippet !== '' && { text: snippet }) };
}
