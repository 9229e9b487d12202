import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeRelease } from './pack/release.js';
import { packPackages } from './pack/tarballs.js';

/* Packs a release into a folder: tarballs, bills of materials, checksums. Arguments: the folder, and the version of the tag. The packages must be built. */
const [folder = 'release', version] = process.argv.slice(2);
const destination = resolve(folder);
mkdirSync(destination, { recursive: true });
makeRelease(packPackages(destination), destination, version);
rmSync(`${destination}/.bill`, { recursive: true });
