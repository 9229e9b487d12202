import type { OrganizationTotals } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { appendTo, type NewEntry } from './entry-log.js';
import { readKeyBook, readOrganization, writeKeyBook, writeOrganization } from './stored-totals.js';
import type { KeyBook } from './totals.js';

/**
 * The books of one transaction. Counters are read once and written once, at its end, however many verbs of a batch use them: that is what makes a
 * hot organization cheap. Holds and entries are written as they come.
 */
export interface Books {
  readonly connection: Connection;
  /** The moment of this transaction. */
  readonly nowMs: number;
  organization(id: string): OrganizationTotals;
  setOrganization(id: string, totals: OrganizationTotals): void;
  key(id: string): KeyBook;
  setKey(id: string, book: KeyBook): void;
  append(entry: NewEntry): void;
  /** Writes the counters that have changed. */
  flush(): void;
}

export function openBooks(connection: Connection, nowMs: number): Books {
  const organizations = bookShelf<OrganizationTotals>(connection, readOrganization, writeOrganization);
  const keys = bookShelf<KeyBook>(connection, readKeyBook, writeKeyBook);
  let append: ((entry: NewEntry) => void) | undefined;
  return {
    connection,
    nowMs,
    organization: organizations.get,
    setOrganization: organizations.set,
    key: keys.get,
    setKey: keys.set,
    append(entry) {
      append ??= appendTo(connection, nowMs);
      append(entry);
    },
    flush() {
      organizations.flush();
      keys.flush();
    },
  };
}

type ReadBook<T> = (connection: Connection, id: string) => T;
type WriteBook<T> = (connection: Connection, id: string, book: T) => void;

/** Books of one kind by id: read when first asked for, written at the end if they were replaced. */
function bookShelf<T>(connection: Connection, read: ReadBook<T>, write: WriteBook<T>) {
  const books = new Map<string, T>();
  const changed = new Set<string>();
  return {
    get(id: string): T {
      let book = books.get(id);
      if (book === undefined) {
        book = read(connection, id);
        books.set(id, book);
      }
      return book;
    },
    set(id: string, book: T): void {
      books.set(id, book);
      changed.add(id);
    },
    flush(): void {
      for (const id of changed) write(connection, id, books.get(id) as T);
      changed.clear();
    },
  };
}
