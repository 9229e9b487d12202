/** The types of Express 5 say enough of Express 4 for mounting. */
declare module 'express4' {
  import express from 'express';

  export default express;
}
