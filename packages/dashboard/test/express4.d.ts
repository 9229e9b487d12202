/** The types of Express 5 suffice for mounting in Express 4. */
declare module 'express4' {
  import express from 'express';

  export default express;
}
