import type { Domains } from '../../../src/api/contract.js';
import { Select } from '../ui/field.js';

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

export function domainsText(domains: Domains): string {
  const { rule, hosts } = domainTexts(domains);
  return rule === '' ? 'all' : `${rule} ${hosts.replaceAll('\n', ', ')}`;
}

const RULES = { '': 'all', only: 'only these', never: 'never these' };

interface DomainFieldsProps {
  readonly texts: DomainTexts;
  readonly onTexts: (texts: DomainTexts) => void;
}

/** Fields for a rule of domains: the domains are asked for where there is a rule. */
export function DomainFields({ texts: { rule, hosts }, onTexts }: DomainFieldsProps) {
  const onRule = (value: string) => onTexts({ rule: value, hosts });
  return (
    <>
      <Select label="Domains" value={rule} onValue={onRule} options={Object.entries(RULES)} />
      {rule !== '' && (
        <label class="field wide">
          One domain a line
          <textarea
            rows={4}
            required
            spellcheck={false}
            value={hosts}
            onInput={(event) => onTexts({ rule, hosts: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}
