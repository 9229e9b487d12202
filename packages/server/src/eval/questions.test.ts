import { readFileSync } from 'node:fs';
import { ConfigurationError } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { COMPARED, parseQuestions, suits } from './questions.js';

const line = (fields: object) => JSON.stringify({ id: 'a', query: 'Who?', ...fields });

/** The paths of all mistakes. */
function mistakesIn(...lines: string[]): string[] {
  try {
    parseQuestions(lines.join('\n'));
    return [];
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems.map(({ path }) => path) : [String(error)];
  }
}

describe('a line', () => {
  it.each<[object, string[]]>([
    [{ expect: { contains: 'x', any_of: ['y'], not: 'z', url_host: 'a.example', number: { value: 1 } } }, []],
    [{ documents: ['a', 'b'], expect: { first: 1 } }, []],
    [{ expect: { first: 0 } }, ['expect.first']],
    [{ documents: ['a', 'b'], expect: { first: 2 } }, ['expect.first']],
    [{ documents: ['a'] }, ['documents']],
    [{ expect: {} }, ['expect']],
    [{ expect: { contains: [] } }, ['expect.contains']],
    [{ expect: { contains: ' ' } }, ['expect.contains']],
    [{ expect: { number: { value: '1' } } }, ['expect.number.value']],
    [{ expect: { number: { value: 1, within: -1 } } }, ['expect.number.within']],
    [{ search: ['a.example'] }, ['search']],
    [{ as_of: 'yesterday' }, ['as_of']],
    [{ query: '' }, ['query']],
    [{ id: 1, cost: 1 }, ['id', 'cost']],
  ])('%j has mistakes in %j', (fields, paths) => {
    expect(mistakesIn(line(fields))).toEqual(paths.map((path) => `line 1: ${path}`));
  });

  it('needs an id of its own, and JSON', () => {
    expect(mistakesIn(line({}), '', 'no', '[]', line({}))).toEqual(['line 3: line', 'line 4: options', 'line 5: id']);
  });

  it('may end as on Windows', () => {
    expect(parseQuestions(`${line({})}\r\n${line({ id: 'b' })}\r\n`)).toHaveLength(2);
  });
});

describe('the questions of this package', () => {
  const questions = parseQuestions(readFileSync(new URL('../../eval/questions.jsonl', import.meta.url), 'utf8'));

  it('are 40, each with a check, a source and its day', () => {
    expect(questions).toHaveLength(40);
    for (const question of questions)
      expect(question).toMatchObject({
        expect: expect.any(Object),
        category: expect.any(String),
        source: expect.any(String),
        as_of: expect.any(String),
      });
  });

  it('have lines for every category of models', () => {
    const counts = COMPARED.map((category) => questions.filter((question) => suits(question, category)).length);
    expect(counts).toEqual([36, 36, 2, 2]);
  });
});
