import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandedOut } from '@culprit/contract/endpoints/server';
import { scriptTag } from '@culprit/contract/setup/install-lines';
import { setupPage } from '@culprit/contract/setup/setup-pages';
import { PLATFORMS } from '@culprit/contract/setup/setup-platforms';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { emptyApplication } from '../support/empty-application.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { handedOutBy, PACKAGES_DIRECTORY, startWithPackages } from '../support/packages.ts';

/** docs/contract/packages.md 1, 2, 4: what the addresses answer, and what is written at them works. */

const PREPARE_MAX_MS = 180_000;
const TEST_MAX_MS = 180_000;

let culprit: TestCulprit;
let packages: HandedOut;
beforeAll(async () => {
  culprit = await startWithPackages();
  packages = await handedOutBy(culprit);
}, PREPARE_MAX_MS);
afterAll(() => culprit?.stop());

/** A request whose path is sent as it is written, which `fetch` would tidy up. */
async function asked(path: string, method = 'GET', url = culprit.url): Promise<string> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connectTcp(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
  });
}

describe('an address', () => {
  it('answers with a tag, which saves the second answer, and to HEAD without a body', async () => {
    const { version, script_path: script } = packages;
    const tarball = `/npm/@culprit/node/-/node-${version}.tgz`;
    const paths = ['/npm/@culprit/node', '/npm/@culprit%2fcli', tarball, '/npm/-/ping', script];
    for (const path of [...paths, '/script/culprit.js', '/llms.txt', '/setup/node.md']) {
      const answer = await fetch(culprit.url + path);
      expect([path, answer.status]).toEqual([path, 200]);
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(culprit.url + path, { headers: { 'if-none-match': etag } });
      expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
      const head = await fetch(culprit.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    expect((await fetch(culprit.url + tarball)).headers.get('cache-control')).toContain('immutable');
    const answer = await fetch(culprit.url + script);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const digest = createHash('sha384').update(Buffer.from(await answer.arrayBuffer()));
    expect(packages.script_integrity).toBe(`sha384-${digest.digest('base64')}`);
    const newest = await fetch(`${culprit.url}/script/culprit.js`);
    expect(newest.headers.get('cache-control')).toBe('public, max-age=300');
  });

  it('that is not in the table is never a file, and none takes anything', async () => {
    for (const path of [
      '/npm/@culprit/evidence',
      '/npm/express',
      '/npm/@other%2fnode',
      '/npm/@culprit%252fnode',
      '/npm/%40culprit/node/../../../package.json',
      '/npm/@culprit/node/-/node-9.9.9.tgz',
      `/npm/@culprit%2fnode/-/node-${packages.version}.tgz`,
      '/npm/@culprit/../../../../etc/passwd',
      '/npm/..%2f..%2f..%2fpackage.json',
      '/npm/@culprit/__proto__',
      `/npm/@culprit/${'n'.repeat(8000)}`,
      '/script/..%2findex.json',
      '/script/script.js',
      '/setup/cobol.md',
      '/setup/..%2f..%2fpackage.json',
    ]) {
      const answer = await asked(path);
      expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 404']);
      expect(answer).toMatch(/\{"error":"not_found"\}$/);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/npm/@culprit%2fnode', '/script/culprit.js', '/llms.txt', '/setup/node.md']) {
        const answer = await asked(path, method);
        expect([method, path, answer.slice(0, 12)]).toEqual([method, path, 'HTTP/1.1 405']);
        expect(answer).toMatch(/\r\nallow: GET, HEAD\r\n/i);
      }
    }
  });

  it('says how long to wait until the packages are built, and answers from then on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-packed-'));
    const directory = join(folder, 'packed');
    const early = await startCulprit({ hasWorker: false, packagesDirectory: directory });
    try {
      for (const path of ['/npm/@culprit%2fnode', '/script/culprit.js', '/llms.txt', '/setup/node.md']) {
        const answer = await asked(path, 'GET', early.url);
        expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 503']);
        expect(answer).toMatch(/\r\nretry-after: 2\r\n/i);
      }
      // A build that is replaced has its index before its files.
      mkdirSync(directory);
      await cp(join(PACKAGES_DIRECTORY, 'index.json'), join(directory, 'index.json'));
      expect(await asked('/llms.txt', 'GET', early.url)).toMatch(/^HTTP\/1.1 503/);
      expect(await asked('/v1/server', 'GET', early.url)).toMatch(/^HTTP\/1.1 200/);
      await cp(PACKAGES_DIRECTORY, directory, { recursive: true });
      expect((await fetch(`${early.url}/npm/@culprit%2fnode`)).status).toBe(200);
    } finally {
      await early.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is not there when it is switched off', async () => {
    const off = await startCulprit({ hasWorker: false });
    try {
      for (const path of [
        '/npm/@culprit%2fnode',
        '/npm/-/ping',
        '/script/culprit.js',
        '/llms.txt',
        '/setup/node.md',
      ]) {
        expect((await fetch(off.url + path)).status).toBe(404);
      }
      const description: unknown = await (await fetch(`${off.url}/v1/server`)).json();
      expect(description).toMatchObject({
        packages: null,
        features: expect.not.arrayContaining(['packages']),
      });
      const [install] =
        PLATFORMS.find(({ id }) => id === 'node')?.steps({
          ...{ token: 't', dsn: 'd', baseUrl: off.url, packages: null },
        }) ?? [];
      expect(install?.code).toContain('npm run build:sdk -- --pack /tmp/culprit');
    } finally {
      await off.stop();
    }
  });

  it('tells the command line the release of the packages, and others nothing', async () => {
    const ask = (agent: string) => fetch(`${culprit.url}/v1/server`, { headers: { 'user-agent': agent } });
    expect((await ask('culprit-cli/0.0.1')).headers.get('x-service-packages')).toBe(packages.version);
    expect((await ask('curl/8.0')).headers.get('x-service-packages')).toBeNull();
  });
});

describe('the script for pages', { timeout: TEST_MAX_MS }, () => {
  it('reports an error of a page by its tag alone, and is not executed when a byte changed', async () => {
    const client = await connect(culprit);
    const { projectToken } = client.project;
    const tag = scriptTag(culprit.url, packages, { token: projectToken, service: 'my-page' });
    let pages: Server | null = null;
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const html = (script: string) =>
        `<!doctype html>${script}<script>window.loaded = typeof culprit; setTimeout(() => { throw new Error('Hello from a page'); });</script>`;
      const shop = createServer((_request, response) => response.end(html(tag)));
      await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
      pages = shop;
      const { port } = shop.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/`);
      expect(await client.only()).toMatchObject({
        title: 'Error: Hello from a page',
        service_name: 'my-page',
      });
      await page.route(`${culprit.url}/script/**`, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: `${await answer.text()} ` });
      });
      await page.goto(`http://127.0.0.1:${port}/again`);
      await eventually(async () => expect(await page.evaluate('window.loaded')).toBe('undefined'));
    } finally {
      await browser.close();
      pages?.close();
    }
  });
});

describe('what is written for agents', { timeout: TEST_MAX_MS }, () => {
  it('fits, holds no secret, and names every page', async () => {
    const llms = await (await fetch(`${culprit.url}/llms.txt`)).text();
    expect(Buffer.byteLength(llms)).toBeLessThanOrEqual(4096);
    for (const path of ['/openapi.json', '/mcp', '/docs']) expect(llms).toContain(culprit.url + path);
    for (const platform of PLATFORMS) {
      expect(llms).toContain(`${culprit.url}/setup/${platform.id}.md`);
      const page = await (await fetch(`${culprit.url}/setup/${platform.id}.md`)).text();
      expect(Buffer.byteLength(page), platform.id).toBeLessThanOrEqual(6144);
      expect(page).toContain('svc_proj_YOUR_TOKEN');
    }
  });

  it('has commands in /llms.txt that run as they stand there', async () => {
    const llms = await (await fetch(`${culprit.url}/llms.txt`)).text();
    const commands = [...llms.matchAll(/`([^`\n]+)`/g)].map(([, command = '']) => command);
    expect(commands.map((command) => command.split(' ')[0])).toEqual(['npx', 'npx', 'npm', 'npm']);
    const application = emptyApplication();
    try {
      for (const command of commands) {
        // The server of tools ends with its input.
        const ended = await application.run(`${command} < /dev/null`);
        expect(ended.code, `${command}: ${ended.out}`).toBe(0);
      }
    } finally {
      application.remove();
    }
  });

  it('works as it stands in a page that a bundler makes', async () => {
    const client = await connect(culprit);
    const application = emptyApplication();
    const browser = await launchBrowser();
    let shop: Server | null = null;
    try {
      const written = await (await fetch(`${culprit.url}/setup/browser.md`)).text();
      const text = written.replaceAll('svc_proj_YOUR_TOKEN', client.project.projectToken);
      const code = (title: string) =>
        new RegExp(`^## \\d+\\. ${title}\\n\\n\`\`\`\\n([^]*?)\\n\`\`\`$`, 'm').exec(text)?.[1];
      const installed = await application.run(code('Install') ?? '');
      expect(installed.code, installed.out).toBe(0);
      const imports = [
        ...(code('Add the line of your framework') ?? '').matchAll(/^import \{ (\w+) \} from '([^']+)';$/gm),
      ];
      expect(imports).toHaveLength(3);
      const lines = imports.map(
        ([line, name]) => `${line}\nif (${name} === undefined) throw new Error('${name}');`,
      );
      application.write(
        'main.js',
        [code('Start it in your page'), ...lines, code('Send a test error')].join('\n'),
      );
      const bundler = await rolldown({ input: join(application.path, 'main.js'), cwd: application.path });
      const { output } = await bundler.generate({ format: 'esm', codeSplitting: false });
      await bundler.close();
      shop = createServer((request, response) => {
        const isScript = request.url === '/main.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(
          isScript ? output[0].code : '<!doctype html><script type="module" src="/main.js"></script>',
        );
      });
      await new Promise<void>((resolve) => shop?.listen(0, '127.0.0.1', resolve));
      const { port } = shop.address() as AddressInfo;
      await (await browser.newPage()).goto(`http://127.0.0.1:${port}/`);
      expect(await client.only()).toMatchObject({ title: 'Error: Hello from a page' });
    } finally {
      await browser.close();
      shop?.close();
      application.remove();
    }
  });

  it.each(['curl', 'node', 'python', 'java', 'opentelemetry'])(
    'works command by command for %s',
    async (id) => {
      const client = await connect(culprit);
      const application = emptyApplication();
      try {
        const platform = PLATFORMS.find((each) => each.id === id);
        if (platform === undefined) throw new Error(`there is no platform ${id}`);
        const source = { baseUrl: culprit.url, appUrl: culprit.url, packages };
        const page = await (await fetch(`${culprit.url}/setup/${id}.md`)).text();
        expect(page).toBe(setupPage(platform, source));
        application.write('server.js', "throw new Error('Hello from the server');\n");
        const withToken = page.replaceAll('svc_proj_YOUR_TOKEN', client.project.projectToken);
        for (const [, title = '', code = ''] of withToken.matchAll(
          /^## \d+\. (.*)\n\n```\n([\s\S]*?)\n```$/gm,
        )) {
          const [, file] = /write (\S+?),? /.exec(title) ?? [];
          if (file !== undefined) application.write(file, `${code}\n`);
          else if (title === 'Add the line of your framework') {
            // Each name is in the entry from which it is imported.
            const imported = [...code.matchAll(/^import \{ (\w+) \} from '([^']+)';$/gm)];
            const names = imported.map(
              ([, name, entry], i) => `import { ${name} as line${i} } from '${entry}';`,
            );
            expect(names.length).toBeGreaterThan(5);
            application.write('lines.mjs', names.join('\n'));
            const ended = await application.run(`${process.execPath} lines.mjs`);
            expect(ended.code, ended.out).toBe(0);
          } else if (title.startsWith('Or by name')) {
            // The file of npm, then the line.
            const [, text = ''] = /# \.npmrc .*\n(.*)\n/.exec(code) ?? [];
            application.write('.npmrc', `${text}\n`);
            const ended = await application.run(code.slice(code.indexOf('# then\n') + '# then\n'.length));
            expect(ended.code, ended.out).toBe(0);
          } else {
            const line = code.replace(/(login --url \S+)$/m, '$1 --with-token < credentials');
            application.write('credentials', JSON.stringify(credentialsOf(client.project, culprit.url)));
            if (title.startsWith('Check')) await client.counted(...(id === 'node' ? [1, 1] : [1]));
            const ended = await application.run(line, {
              PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env.PATH}`,
            });
            if (title.startsWith('Check')) expect(ended.out).toContain('/production');
            // The program that fails on purpose ends with the code of its failure.
            if (!/^(Start|Send)/.test(title)) expect(ended.code, `${title}: ${ended.out}`).toBe(0);
          }
        }
        expect((await client.list()).map(({ title }) => title).join()).toContain('Hello from');
      } finally {
        application.remove();
      }
    },
  );
});

/** What `login --with-token` reads. */
function credentialsOf(project: TestProject, url: string) {
  return {
    base_url: url,
    user_id: project.userId,
    member_token: project.memberToken,
    project_id: project.projectId,
    project_token: project.projectToken,
  };
}
