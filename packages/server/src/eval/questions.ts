import { ConfigurationError, type SearchOptions } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { type Problem, problem, refuse } from '../problems.js';

/** The categories of models that can be compared. */
export const COMPARED = ['answer', 'search', 'extract', 'rerank'] as const;
export type ComparedCategory = (typeof COMPARED)[number];

const text = z.string('a text').trim().min(1, 'a text');
const texts = z.union([text.transform((one) => [one]), z.array(text).min(1)], 'a text, or a list of texts').optional();
const tolerance = z.number('a number').min(0, 'zero or more').default(0);
const numberSchema = z.strictObject({ value: z.number('a number'), within: tolerance }).optional();
const first = z.int('a whole number').min(0, 'a whole number from 0 on').optional();

/** The checks of a reply. All that are given have to hold. */
export type Expectation = z.output<typeof expectSchema>;
const expectSchema = z
  .strictObject({ contains: texts, any_of: texts, not: texts, number: numberSchema, url_host: texts, first })
  .refine((expect) => Object.values(expect).some((check) => check !== undefined), 'at least one check');

const isObject = (value: unknown) => z.looseObject({}).safeParse(value).success;

/** One line of the file. */
export type Question = z.output<typeof questionSchema>;
const questionSchema = z
  .strictObject({
    id: text,
    query: text,
    category: text.optional(),
    expect: expectSchema.optional(),
    search: z.custom<SearchOptions>(isObject, 'an object of search options, as in a request').optional(),
    documents: z.array(text, 'a list of texts').min(2, 'at least two texts').optional(),
    source: text.optional(),
    as_of: z.iso.date('a day such as "2026-11-29"').optional(),
  })
  .refine(({ expect, documents = [] }) => (expect?.first ?? -1) < documents.length, {
    path: ['expect', 'first'],
    message: 'the index of one of the documents, from 0 on',
  });

/** Reads the lines. Empty lines are skipped. @throws ConfigurationError that names every wrong line by its number. */
export function parseQuestions(content: string): Question[] {
  const lines = new Map<string, number>();
  const problems: Problem[] = [];
  const questions = content.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    try {
      const question = parseOptions(questionSchema, parseLine(line), '');
      const before = lines.get(question.id);
      if (before !== undefined) throw problem('id', `the one of line ${before}`, 'another id in each line');
      lines.set(question.id, at + 1);
      return [question];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems.map((each) => ({ ...each, path: `line ${at + 1}: ${each.path}` })));
      return [];
    }
  });
  refuse(problems);
  return questions;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw problem('line', 'no JSON', 'a JSON object such as {"id":"paris","query":"What is the capital of France?"}');
  }
}

/** Whether models of a category are asked a line: documents are ranked, an address is extracted, everything else is searched and answered. */
export function suits({ documents, query }: Question, category: ComparedCategory): boolean {
  if (documents !== undefined) return category === 'rerank';
  return /^https?:\/\/\S+$/.test(query) ? category === 'extract' : category === 'answer' || category === 'search';
}
