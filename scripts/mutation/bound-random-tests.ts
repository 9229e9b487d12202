import { configureGlobal } from 'fast-check';

// Every fault that survives runs all random cases: so many as fit into this time. Of one that is noticed the smallest case is of no use.
configureGlobal({ interruptAfterTimeLimit: 250, endOnFailure: true });
