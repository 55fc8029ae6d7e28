import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { ensurePackages } from '../../../server/test/support/packages.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { createApplication, type TestApplication, withRegistry } from '../support/application.ts';
import { type DiskRegistry, startDiskRegistry } from '../support/disk-registry.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** `culprit init` in applications with real package managers: what it changes, and that it works (C-20). */

const INSTALL_MAX_MS = 300_000;
const TEST_MAX_MS = 180_000;

let culprit: TestCulprit;
let signedIn: SignedIn;
let registry: DiskRegistry;
let environment: Record<string, string>;
beforeAll(async () => {
  await ensurePackages();
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  registry = await startDiskRegistry();
  environment = await withRegistry(signedIn.home, registry);
}, INSTALL_MAX_MS);
afterAll(async () => {
  await registry.close();
  signedIn.home.remove();
});

const ROUTES = `
app.get('/fail', () => { throw new TypeError('no stock in ' + process.env.CULPRIT_ENDPOINT); });
`;
const EXPRESS_START = `${ROUTES}
const server = app.listen(0, '127.0.0.1', () => console.log('listens on ' + server.address().port));
`;

interface Fixture {
  name: string;
  files: Record<string, string>;
  /** Folder of the package below the application. */
  folder: string;
  entry: string;
  /** What the package manager of the application did before. */
  prepare?: readonly [string, ...string[]];
  lockfile: string;
  diff: string;
}

const manifest = (name: string, dependencies: Record<string, string>, more: object = {}) =>
  `${JSON.stringify({ name, version: '1.0.0', private: true, ...more, dependencies }, null, 2)}\n`;
const SETTINGS = (service: string) => `--- /dev/null
+++ b/.culprit/config.json
@@ -0,0 +1,5 @@
+{
+  "url": "URL",
+  "project_id": "PROJECT",
+  "service": "${service}"
+}
--- /dev/null
+++ b/.culprit/.gitignore
@@ -0,0 +1,3 @@
+*
+!.gitignore
+!config.json
`;
const NEW_VARIABLES = `--- /dev/null
+++ b/.env.local
@@ -0,0 +1,2 @@
+CULPRIT_PROJECT_TOKEN=(a new token)
+CULPRIT_ENDPOINT=URL
`;

const FIXTURES: readonly Fixture[] = [
  {
    name: 'express-esm',
    folder: '.',
    entry: 'server.js',
    lockfile: 'package-lock.json',
    files: {
      '.gitignore': 'node_modules\n.env*\n',
      'package.json': manifest('express-esm', { express: '^5.3.0' }, { type: 'module' }),
      'server.js': `#!/usr/bin/env node\nimport express from 'express';\n\nconst app = express();\n${EXPRESS_START}`,
    },
    diff: `Installs @culprit/node@0.1.0: npm i URL/npm/@culprit/node/-/node-0.1.0.tgz

--- a/server.js
+++ b/server.js
@@ -1,4 +1,5 @@
 #!/usr/bin/env node
+import '@culprit/node/register';
 import express from 'express';
 
 const app = express();
${NEW_VARIABLES}${SETTINGS('express-esm')}`,
  },
  {
    name: 'express-cjs',
    folder: '.',
    entry: 'src/index.js',
    prepare: ['pnpm', 'install'],
    lockfile: 'pnpm-lock.yaml',
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': manifest('@shop/express-cjs', { express: '^5.0.0' }),
      'src/index.js': `/* The shop. */\n'use strict';\n\nconst express = require('express');\nconst app = express();\n${EXPRESS_START}`,
    },
    diff: `Installs @culprit/node@0.1.0: pnpm add URL/npm/@culprit/node/-/node-0.1.0.tgz

--- a/src/index.js
+++ b/src/index.js
@@ -1,5 +1,6 @@
 /* The shop. */
 'use strict';
+require('@culprit/node/register');
 
 const express = require('express');
 const app = express();
${NEW_VARIABLES}--- a/.gitignore
+++ b/.gitignore
@@ -1,1 +1,2 @@
 node_modules
+.env.local
${SETTINGS('@shop/express-cjs')}`,
  },
  {
    name: 'fastify',
    folder: '.',
    entry: 'main.js',
    prepare: ['yarn', 'install'],
    lockfile: 'yarn.lock',
    files: {
      '.gitignore': 'node_modules\n.env\n',
      'package.json': manifest('fastify-shop', { fastify: '^5.0.0' }, { scripts: { start: 'node main.js' } }),
      'index.js': '// Not what starts it.\n',
      'main.js': `const app = require('fastify')();\n${ROUTES}app.listen({ port: 0, host: '127.0.0.1' }).then(() => console.log('listens on ' + app.server.address().port));\n`,
    },
    diff: `Installs @culprit/node@0.1.0: yarn add @culprit/node@URL/npm/@culprit/node/-/node-0.1.0.tgz

--- a/main.js
+++ b/main.js
@@ -1,3 +1,4 @@
+require('@culprit/node/register');
 const app = require('fastify')();
 
 app.get('/fail', () => { throw new TypeError('no stock in ' + process.env.CULPRIT_ENDPOINT); });
${NEW_VARIABLES.replace('.env.local', '.env')}${SETTINGS('fastify-shop')}`,
  },
  {
    name: 'workspace',
    folder: 'apps/api',
    entry: 'server.mjs',
    lockfile: 'package-lock.json',
    files: {
      '.gitignore': 'node_modules\n.env.local\n',
      'package.json': `${JSON.stringify({ name: 'root', private: true, workspaces: ['apps/*'] }, null, 2)}\n`,
      'apps/page/package.json': manifest('page', {}),
      'apps/api/package.json': manifest('api', { express: '^5.3.0' }),
      'apps/api/server.mjs': `import express from 'express';\nconst app = express();\n${EXPRESS_START}`,
    },
    diff: `Installs @culprit/node@0.1.0: npm i URL/npm/@culprit/node/-/node-0.1.0.tgz

--- a/server.mjs
+++ b/server.mjs
@@ -1,3 +1,4 @@
+import '@culprit/node/register';
 import express from 'express';
 const app = express();
 
${NEW_VARIABLES}${SETTINGS('api')}`,
  },
];

const SECRET = /svc_proj_[0-9A-Za-z]{8}/;

function init(application: TestApplication, args: readonly string[] = [], directory = '.') {
  const below = application.path.slice(signedIn.home.path.length + 1);
  return signedIn.home.run(['init', ...args], { directory: `${below}/${directory}`, environment });
}

async function tracked(application: TestApplication): Promise<string> {
  await application.run('git', ['add', '--all']);
  return (await application.run('git', ['ls-files']))
    .trim()
    .split('\n')
    .map((file) => application.files()[file] ?? '')
    .join('\n');
}

describe.each(FIXTURES)('init in $name', (fixture) => {
  let application: TestApplication;
  beforeAll(async () => {
    application = await createApplication(signedIn.home, fixture.name, fixture.files, environment);
    const [program, ...args] = fixture.prepare ?? [];
    if (program !== undefined) await application.run(program, args);
  }, INSTALL_MAX_MS);

  it('shows the recorded diff, and changes nothing while it only shows it', async () => {
    const before = application.files();
    const { code, out, err } = await init(application, ['--dry-run'], fixture.folder);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out.replaceAll(culprit.url, 'URL').replaceAll(signedIn.project.projectId, 'PROJECT')).toBe(
      fixture.diff,
    );
    expect(application.files()).toEqual(before);
  });

  it('makes an application whose error becomes an incident, and a second run changes nothing', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const { code, out, err } = await init(application, ['--yes', '--json'], fixture.folder);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out + err).not.toMatch(SECRET);
    const body: unknown = JSON.parse(out);
    expect(body).toMatchObject({
      project_id: signedIn.project.projectId,
      installed: ['@culprit/node@0.1.0'],
      incident_id: expect.stringMatching(/^inc_/),
      visible_ms: expect.any(Number),
    });
    expect(Object.keys(application.files())).toContain(fixture.lockfile);
    expect(await tracked(application)).not.toMatch(SECRET);
    const file = fixture.name === 'fastify' ? '.env' : '.env.local';
    const started = await application.start(fixture.folder, [`--env-file=${file}`, fixture.entry]);
    try {
      expect((await fetch(`${started.origin}/fail`)).status).toBe(500);
      const service = isJsonObject(body) ? String(body.service) : '';
      await eventually(async () => {
        const found = await signedIn.home.json(['incidents', 'list', '--service', service]);
        expect(JSON.stringify(found)).toContain(`no stock in`);
      });
    } finally {
      await started.stop();
    }
    const after = application.files();
    const again = await init(application, ['--yes'], fixture.folder);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was changed.') });
    expect(application.files()).toEqual(after);
  });
});

describe('init that does not come through', () => {
  it('leaves every file as it was when a file cannot be written, and revokes the new token', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const [{ files } = { files: {} }] = FIXTURES;
    const application = await createApplication(
      signedIn.home,
      'unwritable',
      // Where a folder would have to be.
      { ...files, '.culprit': '' },
      environment,
    );
    const before = application.files();
    const { code, err } = await init(application, ['--yes']);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nothing was changed') });
    expect(application.files()).toEqual(before);
    const live = await signedIn.home.json(['tokens', 'list']);
    expect(JSON.stringify(live)).not.toContain('unwritable');
  });

  it('leaves every file as it was when the package manager fails', { timeout: TEST_MAX_MS }, async () => {
    const application = await createApplication(
      signedIn.home,
      'uninstallable',
      {
        ...FIXTURES[0]?.files,
        'package.json': manifest('uninstallable', { express: '^5.0.0', 'no-such-package-of-ours': '1' }),
      },
      environment,
    );
    const before = application.files();
    const { code, err } = await init(application, ['--yes']);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('npm i') });
    expect(application.files()).toEqual(before);
  });

  it('asks for nothing where nobody can answer, and names the flag', async () => {
    const application = await createApplication(
      signedIn.home,
      'unanswered',
      FIXTURES[0]?.files ?? {},
      environment,
    );
    const refused = await init(application);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    const [, , , workspace] = FIXTURES;
    const several = await createApplication(signedIn.home, 'several', workspace?.files ?? {}, environment);
    const unnamed = await init(several, ['--yes']);
    expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining('culprit init apps/api') });
  });

  it('writes no secret into a file that git tracks', async () => {
    const application = await createApplication(
      signedIn.home,
      'tracked',
      { ...FIXTURES[0]?.files, '.gitignore': 'node_modules\n', '.env.local': 'A=1\n' },
      environment,
    );
    const { code, err } = await init(application, ['--yes']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('tracked by git') });
  });
});
