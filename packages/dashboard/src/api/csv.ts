import type { GatewayResponse } from '@searchgate/core';
import { csvText } from '@searchgate/core/administration';
import { respond } from './exchange.js';

/** The line end of RFC 4180. */
const LINE_END = '\r\n';

/** Lines of cells. */
export function csvLines(lines: readonly (readonly (string | number)[])[]): string {
  return lines.map((cells) => `${cells.join(',')}${LINE_END}`).join('');
}

/** A line for the names of the columns, and one for each row. */
export function csvOfRows<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  return csvLines([columns]) + csvOfCells(columns, rows);
}

/** A line for each row. */
export function csvOfCells<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  return csvLines(rows.map((row) => columns.map((column) => cellOf(row[column]))));
}

/** Callers write tags and reasons, operators write labels: no cell may be run as a formula. */
function cellOf(value: unknown): string {
  if (value === null) return '';
  return csvText(typeof value === 'string' ? value : JSON.stringify(value));
}

export function csvDownload(name: string, text: string): GatewayResponse {
  const disposition = `attachment; filename="${name}"`;
  return respond(200, text, { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition });
}
