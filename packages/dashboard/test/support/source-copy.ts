import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../../../server/test/lanes/test-files.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';
import { createTestDatabase } from '../../../server/test/support/test-database.ts';

/** What `npm start` needs of a clone whose packages are installed. */
const PARTS = [
  'package.json',
  'package-lock.json',
  'scripts',
  'packages/server',
  'packages/dashboard',
  'packages/contract/src',
  'packages/evidence/src',
];
const LEFT_OUT = new Set(['dist', 'test', 'node_modules', '.build-failed']);
const START_TIMEOUT_MS = 60_000;

/** A clone of these sources whose dashboard is small, so that a build takes a second, and which was never started. */
export interface SourceCopy {
  dashboard: string;
  /** Writes the one script of its dashboard. */
  writeScript(code: string): void;
  /** `npm start` of the API, until that answers. */
  start(): Promise<StartedCopy>;
  remove(): void;
}

interface StartedCopy {
  url: string;
  /** What it wrote so far, on both streams. */
  output(): string;
  stop(): Promise<void>;
}

export async function copySources(): Promise<SourceCopy> {
  const root = mkdtempSync(join(tmpdir(), 'culprit-clone-'));
  for (const part of PARTS) {
    mkdirSync(join(root, part, '..'), { recursive: true });
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(basename(path)) && !basename(path).startsWith('dist.'),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const dashboard = join(root, 'packages/dashboard');
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    CULPRIT_ROLES: 'api',
    CULPRIT_DATABASE_URL: await createTestDatabase(),
    CULPRIT_DATA_KEY: randomBytes(32).toString('base64'),
    CULPRIT_DATA_DIR: join(root, 'data'),
    CULPRIT_PORT: String(port),
    CULPRIT_BASE_URL: url,
    CULPRIT_CANARY: 'off',
  };
  let npm: ChildProcess | null = null;

  return {
    dashboard,
    writeScript(code) {
      writeFileSync(join(dashboard, 'src/main.tsx'), `import './base.css';\n${code}\n`);
    },
    async start() {
      const own = Object.entries(process.env).filter(([name]) => !/^(?:CULPRIT|npm)_/i.test(name));
      const started = spawn('npm', ['start'], {
        cwd: root,
        env: { ...Object.fromEntries(own), ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      npm = started;
      const ended = once(started, 'close');
      let written = '';
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          written += text;
        });
      }
      await eventually(async () => {
        const answer = await fetch(`${url}/health`).catch(() => null);
        if (answer?.status !== 200) throw new Error(`no answer yet: ${written}`);
      }, START_TIMEOUT_MS);
      return {
        url,
        output: () => written,
        async stop() {
          started.kill('SIGTERM');
          await ended;
        },
      };
    },
    remove() {
      // The service ends with the npm that started it.
      npm?.kill('SIGKILL');
      rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
