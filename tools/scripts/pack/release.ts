import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run } from './run.js';
import type { Packed } from './tarballs.js';

/**
 * Checks the tarballs of a release, and writes for each the software it brings (CycloneDX, beside it) and for all of them their checksums.
 *
 * @param version as the tag says. Default: that of the packages.
 * @throws AssertionError for packages of different versions, a version without a heading in the changelog, and a tarball that lacks a file or has too many.
 */
export function makeRelease(packed: readonly Packed[], folder: string, version = packed[0]?.manifest.version): void {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  assert.match(changelog, new RegExp(`^## ${version?.replaceAll('.', '\\.')}$`, 'm'), `CHANGELOG.md has no ${version}`);
  for (const each of packed) {
    assert.equal(each.manifest.version, version, each.manifest.name);
    checkFiles(each);
    writeFileSync(each.tarball.replace(/\.tgz$/, '.cdx.json'), billOf(each, packed, folder));
  }
  const sums = packed.map(({ tarball }) => `${sha256(tarball)}  ${basename(tarball)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
  const bytes = packed.reduce((sum, { tarball }) => sum + statSync(tarball).size, 0);
  console.log(
    `ok  Release ${version}: ${packed.length} tarballs, ${(bytes / 1e6).toFixed(1)} MB, bills of materials, checksums`,
  );
}

/** Source maps were half of a tarball, and lead to files that are not in it. */
function checkFiles({ manifest, tarball }: Packed): void {
  const files = run('tar', ['-tf', tarball]).split('\n');
  for (const wanted of ['package/LICENSE', 'package/README.md'])
    assert(files.includes(wanted), `${manifest.name} has no ${wanted}`);
  const unwanted = files.filter((file) => /\.map$|\.test\.|\/fixtures\/|\.tsbuildinfo$/.test(file));
  assert.deepEqual(unwanted, [], `${manifest.name} has files that nobody needs`);
}

/** What npm installs with a package, by npm itself. */
function billOf({ manifest, tarball }: Packed, packed: readonly Packed[], folder: string): string {
  const cwd = join(folder, '.bill', basename(tarball, '.tgz'));
  mkdirSync(cwd, { recursive: true });
  const own = Object.fromEntries(packed.map((each) => [each.manifest.name, `file:${each.tarball}`]));
  const dependencies = { [manifest.name]: `file:${tarball}` };
  // Packages of this release are not on the registry yet.
  const { [manifest.name]: _self, ...overrides } = own;
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'bill', version: '0.0.0', dependencies, overrides }));
  run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });
  const text = run('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--omit=dev'], { cwd });
  const bill = JSON.parse(text) as { bomFormat: string; components: readonly { readonly name: string }[] };
  assert.equal(bill.bomFormat, 'CycloneDX');
  const listed = bill.components.map(({ name }) => name);
  for (const name of [manifest.name, ...Object.keys(manifest.dependencies)])
    assert(listed.includes(name), `the bill of ${manifest.name} lacks ${name}`);
  return text.replaceAll(`file:${folder}/`, '');
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
