import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installLine, type PackageSource } from '@culprit/contract/install-lines';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { type EmptyApplication, emptyApplication } from '../support/empty-application.ts';
import { connect } from '../support/incident-client.ts';
import { handedOutBy, startWithPackages } from '../support/packages.ts';

/** docs/contract/packages.md: what the service hands out is installed by the real package managers, and works. */

const TEST_MAX_MS = 180_000;
const PREPARE_MAX_MS = 180_000;

let culprit: TestCulprit;
let source: PackageSource;
let application: EmptyApplication;
beforeAll(async () => {
  culprit = await startWithPackages();
  const { version } = await handedOutBy(culprit);
  source = { baseUrl: culprit.url, version };
}, PREPARE_MAX_MS);
afterAll(() => culprit?.stop());
afterEach(() => application?.remove());

describe('the library for Node', { timeout: TEST_MAX_MS }, () => {
  it('is installed by its address, and what it reports becomes an incident', async () => {
    application = emptyApplication();
    const client = await connect(culprit);
    expect(await application.run(installLine(source, ['node']))).toMatchObject({ code: 0 });
    const ended = await application.run(
      `${process.execPath} --import @culprit/node/register -e "throw new Error('Hello from Node')"`,
      {
        CULPRIT_PROJECT_TOKEN: client.project.projectToken,
        CULPRIT_ENDPOINT: culprit.url,
        NODE_ENV: 'production',
      },
    );
    expect(ended.code).toBe(1);
    expect(await client.only()).toMatchObject({ title: 'Error: Hello from Node' });
    const lockfile = readFileSync(join(application.path, 'package-lock.json'), 'utf8');
    expect(lockfile).toContain(`${culprit.url}/npm/@culprit/node/-/node-${source.version}.tgz`);
  });
});
