import { maskSecrets } from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/scripted-vendor.js';
import { recordingOf } from './recordings.js';
import { compareShapes, shapeOf } from './reply-shape.js';

const shown = (text: string) => text;

describe('a recording', () => {
  it.each([
    [
      'an id, everywhere in the same way',
      { id: 'msg_01ABCDEF', parts: [{ parent_id: 'msg_01ABCDEF' }] },
      { id: 'id-1', parts: [{ parent_id: 'id-1' }] },
    ],
    [
      'an id in another text',
      { requestId: 'req_99887766', hint: 'see req_99887766' },
      { requestId: 'id-1', hint: 'see id-1' },
    ],
    [
      'a short account where it is a value',
      { org: 'Acme', text: 'Acme is a name.' },
      { org: 'account-1', text: 'Acme is a name.' },
    ],
    [
      'an address of mail and of a machine',
      { text: 'ada@example.com at 203.0.113.9' },
      { text: 'someone@example.org at 192.0.2.1' },
    ],
    [
      'a UUID',
      { next: '/runs/7b3e0c55-8b1f-4a43-9f1c-0d8c1c2f7a11' },
      { next: '/runs/00000000-0000-4000-8000-000000000000' },
    ],
  ])('has no %s', (_what, reply, recorded) => {
    expect(JSON.parse(recordingOf(JSON.stringify(reply), shown).body)).toEqual(recorded);
  });

  it.each(['exa"key/of+many=characters&more', 'key-of-an-account-71b0e5c84ad2f693'])(
    'has no part of the key %s',
    (key) => {
      const reply = JSON.stringify({
        error: `${key} is no key`,
        url: `https://example.org/?api_key=${encodeURIComponent(key)}`,
        [key]: [key],
      });
      const { body } = recordingOf(reply, (text) => maskSecrets(text, [key, encodeURIComponent(key)]));
      const parts = Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8));
      expect(parts.filter((part) => body.includes(part))).toEqual([]);
    },
  );

  it('keeps the addresses of pages, numbers and the words of fields', () => {
    const reply = { id: 'https://example.org/a', index: 7, role: 'user', type: 'message' };
    expect(JSON.parse(recordingOf(JSON.stringify(reply), shown).body)).toEqual(reply);
  });

  it.each([
    'exa/answer.json',
    'openai/answer.json',
    'perplexity/search.json',
    'exa/answer-stream.txt',
    'anthropic/message-stream.txt',
  ])('has the shape of %s', (path) => {
    const text = fixture(path);
    const { body, extension } = recordingOf(text, shown);
    expect([path.endsWith(extension), [...shapeOf(body)]]).toEqual([true, [...shapeOf(text)]]);
  });

  it.each([
    [
      'JSON of long texts',
      JSON.stringify({ data: Array.from({ length: 50 }, () => ({ text: 'é'.repeat(5_000) })) }),
      'json',
    ],
    ['a vector', JSON.stringify({ data: [{ embedding: Array.from({ length: 9_000 }, (_, at) => at / 7) }] }), 'json'],
    ['a stream', 'data: {"text":"é"}\n\n'.repeat(5_000), 'txt'],
    ['a page', `<html>${'é'.repeat(50_000)}`, 'txt'],
  ])('of %s has at most 20 kB, and stays readable', (_what, text, extension) => {
    const recording = recordingOf(text, shown);
    expect(recording.extension).toBe(extension);
    expect(Buffer.byteLength(recording.body)).toBeLessThan(20_000);
    expect([...shapeOf(recording.body)]).toEqual([...shapeOf(text)]);
  });
});

describe('the fields of a reply', () => {
  it('are those of all events of a stream, and of any depth', () => {
    expect([...shapeOf('event: a\ndata: {"a":[{"b":1}]}\n\ndata: {"c":{"d":null}}\n\ndata: [DONE]\n')]).toEqual([
      'a',
      'a[].b',
      'c',
      'c.d',
    ]);
    expect([...shapeOf('<html>')]).toEqual([]);
  });

  it('are compared with all fixtures, and with the nearest one', () => {
    const known = ['{"a":1,"b":{"c":1}}', '{"x":1,"y":1}'].map(shapeOf);
    expect(compareShapes(shapeOf('{"a":1,"y":1,"b":{},"z":{"q":1}}'), known)).toEqual({ added: ['z'], gone: ['b.c'] });
  });
});
