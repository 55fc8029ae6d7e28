// node scripts/packages/build.ts FOLDER: builds what the service hands out into a folder that is not there yet
// (docs/contract/packages.md): a tarball for each package, the script, and what their addresses answer.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stageCli } from '../cli/pack.ts';
import { stageSdk } from '../sdk/pack.ts';
import { SDK_PACKAGES } from '../sdk/sdk-packages.ts';
import { packFolder, readManifest } from './tarball.ts';

const CLI_FOLDER = 'cli';
const SCRIPT = 'script.js';

const [into] = process.argv.slice(2);
if (into === undefined) throw new Error('Usage: node scripts/packages/build.ts FOLDER');
const staging = mkdtempSync(join(tmpdir(), 'culprit-packages-'));
try {
  await Promise.all([stageSdk(staging), stageCli(join(staging, CLI_FOLDER))]);
  mkdirSync(into, { recursive: true });
  const packages = [...SDK_PACKAGES.map(({ folder }) => folder), CLI_FOLDER].map((folder) => {
    const path = packFolder(join(staging, folder), into);
    const content = readFileSync(path);
    return {
      file: basename(path),
      manifest: readManifest(join(staging, folder)),
      integrity: digest(content, 'sha512'),
      shasum: createHash('sha1').update(content).digest('hex'),
    };
  });
  const script = readFileSync(join(staging, 'sdk-browser/dist', SCRIPT));
  writeFileSync(join(into, SCRIPT), script);
  const index = { packages, script: { file: SCRIPT, integrity: digest(script, 'sha384') } };
  writeFileSync(join(into, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
} finally {
  rmSync(staging, { recursive: true, force: true });
}

/** Returns the hash in the form of `integrity` in a lockfile or a script. */
function digest(content: Buffer, algorithm: 'sha384' | 'sha512'): string {
  return `${algorithm}-${createHash(algorithm).update(content).digest('base64')}`;
}
