#!/usr/bin/env node
import { outliveOutputErrors } from '../output-errors.js';
import { runProgram } from './run-program.js';

outliveOutputErrors();

void runProgram(process.argv.slice(2), process.env, process).then((code) => {
  // A failed write to the output has already set an exit code.
  if (code) process.exitCode = code;
});
