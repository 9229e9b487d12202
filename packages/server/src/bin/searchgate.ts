#!/usr/bin/env node
import { outliveOutputErrors } from '../output-errors.js';
import { runProgram } from './run-program.js';

outliveOutputErrors();

void runProgram(process.argv.slice(2), process.env, process).then((code) => {
  // Output that could not be written has set another one.
  if (code) process.exitCode = code;
});
