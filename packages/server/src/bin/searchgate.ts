#!/usr/bin/env node
import { runProgram } from './run-program.js';

void runProgram(process.argv.slice(2), process.env, process).then((code) => {
  if (code !== undefined) process.exitCode = code;
});
