import { configureGlobal } from 'fast-check';

// Every fault that survives runs all random cases: so many as fit into this time. Of one that is noticed the smallest case is of no use.
// Ledgers get all of their few cases, since one that is broken off would go on behind its test.
const isOfCore = process.env.MUTATION_TARGET?.startsWith('packages/core/') ?? false;
// oxlint-disable-next-line typescript/no-deprecated -- the plugin in its place is added again in each run of a thread that is used again
const bound = isOfCore ? { interruptAfterTimeLimit: 250 } : {};
configureGlobal({ endOnFailure: true, ...bound });
