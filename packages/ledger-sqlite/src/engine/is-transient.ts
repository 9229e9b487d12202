const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** Extended result codes keep the primary one in their lowest byte. */
const PRIMARY_CODE = 0xff;

/** Whether the engine says that another process or handle uses the database just now, in the words of any driver. Nothing has happened then. */
export function isTransient(error: unknown): boolean {
  const { code, rawCode, errcode } = (error ?? {}) as { code?: unknown; rawCode?: unknown; errcode?: unknown };
  if (typeof code === 'string' && /^SQLITE_(?:BUSY|LOCKED)/.test(code)) return true;
  const number = errcode ?? rawCode;
  return typeof number === 'number' && [SQLITE_BUSY, SQLITE_LOCKED].includes(number & PRIMARY_CODE);
}
