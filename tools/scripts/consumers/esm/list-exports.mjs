for (const specifier of process.argv.slice(2)) {
  console.log(
    `    ${specifier}: ${Object.keys(await import(specifier))
      .sort()
      .join(', ')}`,
  );
}
