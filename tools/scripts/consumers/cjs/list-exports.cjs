for (const specifier of process.argv.slice(2)) {
  console.log(`    ${specifier}: ${Object.keys(require(specifier)).sort().join(', ')}`);
}
