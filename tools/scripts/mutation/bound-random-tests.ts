import { configureGlobal } from 'fast-check';

// A surviving fault runs all random cases, so their time is limited. For a noticed fault the smallest case is of no use.
// Ledgers run all of their few cases, since an interrupted case would continue after its test.
const isOfCore = process.env.MUTATION_TARGET?.startsWith('packages/core/') ?? false;
// oxlint-disable-next-line typescript/no-deprecated -- its replacement is a plugin that every run of a reused thread would add again
const bound = isOfCore ? { interruptAfterTimeLimit: 250 } : {};
configureGlobal({ endOnFailure: true, ...bound });
