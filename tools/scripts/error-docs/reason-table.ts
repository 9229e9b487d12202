import { REASONS } from '../../../packages/core/src/base/errors/reasons.js';
import { withGenerated } from '../provider-docs/generated-part.js';
import { markdownTable } from '../provider-docs/markdown-table.js';

/** The text of docs/errors.md with the present table of reasons. */
export function withReasons(markdown: string): string {
  return withGenerated(markdown, 'reasons', reasonTable());
}

/** All reasons in the order of their status: one row for the reasons with the same status, type and retryability. */
function reasonTable(): string {
  const rows = new Map<string, [status: string, type: string, retryable: string, reasons: string]>();
  for (const [reason, { status, type, retryable }] of Object.entries(REASONS)) {
    const link = `[${reason}](#${reason})`;
    const key = `${status} ${type} ${retryable}`;
    const [, , , others] = rows.get(key) ?? [];
    const reasons = others === undefined ? link : `${others}, ${link}`;
    rows.set(key, [`${status}`, `\`${type}\``, retryable ? 'yes' : 'no', reasons]);
  }
  const sorted = [...rows].toSorted(([one], [other]) => one.localeCompare(other)).map(([, cells]) => cells);
  return markdownTable([['`code`', '`type`', '`retryable`', '`reason`'], ...sorted]);
}
