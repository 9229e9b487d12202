/*
 * Undici declares types for its main entry alone. It has no `exports` map, so these two files can be imported; they have had these
 * paths since version 5 (read in 7.30.2 on 2026-11-22).
 */

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
