import type { Domains } from '../../../src/api/contract.js';
import { plural } from '../format.js';
import { type FieldsProps, Select, TextArea } from '../ui/field.js';

/** A rule of domains as typed. */
export interface DomainTexts {
  /** Empty for no rule. */
  readonly rule: string;
  /** Domains, one a line. */
  readonly hosts: string;
}

export function domainTexts(domains: Domains = null): DomainTexts {
  const [[rule, hosts] = ['', []]] = Object.entries(domains ?? {});
  return { rule, hosts: hosts.join('\n') };
}

export function readDomains({ rule, hosts }: DomainTexts): Domains {
  const names = hosts.split(/[\s,]+/).filter(Boolean);
  if (rule === '') return null;
  return rule === 'only' ? { only: names } : { never: names };
}

const MOST_SHOWN = 4;

/** A rule for people: a long one opens on demand. */
export function DomainsText({ domains }: { domains: Domains }) {
  const { rule, hosts } = domainTexts(domains);
  const names = hosts.split('\n');
  if (names.length <= MOST_SHOWN) return rule === '' ? 'all' : `${rule} ${names.join(', ')}`;
  return (
    <details>
      <summary>{`${rule} ${plural(names.length, 'domain')}`}</summary>
      {names.join(', ')}
    </details>
  );
}

const RULES = { '': 'all', only: 'only these', never: 'never these' };

/** Fields for a rule of domains: the domains are asked for where there is a rule. */
export function DomainFields({ texts: { rule, hosts }, onTexts }: FieldsProps<DomainTexts>) {
  const onRule = (value: string) => onTexts({ rule: value, hosts });
  return (
    <>
      <Select label="Domains" value={rule} onValue={onRule} options={Object.entries(RULES)} />
      {rule !== '' && (
        <div class="wide">
          <TextArea
            label="One domain a line, with all hosts below it"
            rows={4}
            value={hosts}
            onValue={(value) => onTexts({ rule, hosts: value })}
          />
        </div>
      )}
    </>
  );
}
