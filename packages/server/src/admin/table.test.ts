import { describe, expect, it } from 'vitest';
import { fieldList, printable, table } from './table.js';

interface Row {
  readonly name: string;
  readonly amount: string;
}

const columns = [
  { title: 'name', of: ({ name }: Row) => name },
  { title: 'amount', align: 'right' as const, of: ({ amount }: Row) => amount },
];

describe('table', () => {
  it('lines columns up under their titles, amounts at the right', () => {
    const rows = [
      { name: 'a longer name', amount: '$5.00' },
      { name: 'b', amount: '$1,000.00' },
    ];
    expect(table(columns, rows)).toBe(
      ['name              amount', 'a longer name      $5.00', 'b              $1,000.00'].join('\n'),
    );
  });

  it('takes hundreds of thousands of rows', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => ({ name: `org-${index}`, amount: '$1.00' }));
    expect(table(columns, rows).split('\n')).toHaveLength(200_001);
  });

  it('leaves no spaces at the end of a line', () => {
    expect(table(columns.slice(0, 1), [{ name: 'a', amount: '' }])).toBe('name\na');
  });
});

describe('fieldList', () => {
  it('puts a field on each line', () => {
    const fields = [
      { title: 'id', of: ({ name }: Row) => name },
      { title: 'state', of: () => 'active' },
    ];
    expect(fieldList(fields, { name: 'acme', amount: '' })).toBe('  id     acme\n  state  active');
  });
});

describe('printable', () => {
  it('shows control characters that could rewrite the screen as question marks', () => {
    expect(printable('\u001b[2Jred\r\nline\u202eturned\u2028end')).toBe('?[2Jred??line?turned?end');
    expect(printable('Müller & Söhne – 株式会社')).toBe('Müller & Söhne – 株式会社');
  });
});
