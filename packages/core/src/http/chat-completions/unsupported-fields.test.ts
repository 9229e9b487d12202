import { describe, expect, it } from 'vitest';
import { refuseUnsupportedFields, UNSUPPORTED } from './unsupported-fields.js';

describe.each(UNSUPPORTED.map(([field]) => field))('%s', (field) => {
  it.each([[null], [false], [[]], [{}], ['']])('that is %j asks for nothing', (value) => {
    expect(() => refuseUnsupportedFields({ [field]: value })).not.toThrow();
  });

  it.each([[true], [2], ['yes'], [['yes']], [{ type: 'yes' }]])('that is %j is refused', (value) => {
    expect(() => refuseUnsupportedFields({ [field]: value })).toThrow(
      expect.objectContaining({ reason: 'unsupported_field', param: field }),
    );
  });
});

it.each([
  { tool_choice: 'none' },
  { function_call: 'auto' },
  { n: 1 },
  { response_format: { type: 'text' } },
  { modalities: ['text'] },
  { top_logprobs: 0 },
  JSON.parse('{"__proto__":{"tools":["yes"]}}') as object,
])('%j asks for what is given', (body) => {
  expect(() => refuseUnsupportedFields(body as Record<string, unknown>)).not.toThrow();
});
