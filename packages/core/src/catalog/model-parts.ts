import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { nearestName } from '../base/options/nearest-name.js';
import { type OptionSupport, supportedOptions } from '../base/search-options/option-support.js';
import { type CallableModel, type CallablePart, neededMs } from './callable-model.js';
import { modelPath } from './catalog-member.js';
import type { ModelPart } from './model-entry.js';
import { askedFor } from './units.js';

/** The models that a name may lead to: those of a group, or a model and its fallbacks and hedges. */
export type LeadsTo = (name: string) => Pick<CallablePart, 'isNextOnEmpty'> & { readonly slugs: readonly string[] };

/**
 * A model that is made of others, with these: it has the policies that all of them have, and takes the options that each of its searches takes.
 *
 * @throws ConfigurationError for a part that no model serves, or a model of another kind, or with parts itself; for a part twice; and for a part that needs
 * more time than there is.
 */
export function withParts(
  composed: CallableModel,
  models: ReadonlyMap<string, CallableModel>,
  leadsTo: LeadsTo,
): CallableModel {
  const { parts: rows = [], ...row } = composed.model;
  const problems: ConfigurationProblem[] = [];
  const parts = rows.map((part, at): CallablePart => {
    const { kind, model } = part;
    const path = `${modelPath(row.slug)}.parts[${at}]`;
    const { slugs, isNextOnEmpty } = leadsTo(model);
    const found = slugs.map((slug) => models.get(slug)).filter((each) => each !== undefined);
    // The targets of routes are checked with these.
    const isOfKind = found.length > 0 && found.every(({ category }) => category === kind);
    if (!isOfKind) problems.push(notOfKind(path, part, models));
    const isTwice = rows.findIndex((each) => each.kind === kind && each.model === model) < at;
    if (isTwice) problems.push({ path, found: JSON.stringify(model), expected: 'each model once' });
    const leastMs = isOfKind ? Math.min(...found.map(neededMs)) : 0;
    if (leastMs > composed.timeoutMs) {
      const expected = `at least ${leastMs}, which ${model} needs`;
      problems.push({ path: `${modelPath(row.slug)}.timeoutMs`, found: String(composed.timeoutMs), expected });
    }
    return { kind, model, asked: askedFor(part.most), candidates: found, isNextOnEmpty };
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  const all = parts.flatMap(({ candidates }) => candidates);
  const has = (policy: string) => all.every(({ facts }) => facts.policies.includes(policy));
  const options = optionsOf(parts);
  const facts = {
    ...composed.facts,
    policies: composed.facts.policies.filter(has),
    options: supportedOptions(options),
  };
  return { ...composed, model: { ...composed.model, options }, facts, parts };
}

function notOfKind(
  path: string,
  { kind, model }: ModelPart,
  models: ReadonlyMap<string, CallableModel>,
): ConfigurationProblem {
  const ofKind = [...models.values()].filter(({ category }) => category === kind).map(({ model: { slug } }) => slug);
  const nearest = nearestName(model, ofKind);
  const expected = `a model of category ${kind} of a configured provider, an alias or a group of such models`;
  return { path, found: JSON.stringify(model), expected, ...(nearest !== undefined && { nearest }) };
}

/** Of each search, those of any of its models: the others are then not asked. */
function optionsOf(parts: readonly CallablePart[]): OptionSupport {
  const searches = parts.filter(({ kind }) => kind === 'search');
  const [first, ...others] = searches.map(
    ({ candidates }): OptionSupport => Object.assign({}, ...candidates.map(({ model }) => model.options).reverse()),
  );
  const shared = supportedOptions(first).filter((option) => others.every((each) => each[option] !== undefined));
  return Object.fromEntries(shared.map((option) => [option, first?.[option]]));
}
