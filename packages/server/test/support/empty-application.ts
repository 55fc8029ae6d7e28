import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a command ended, with what it wrote. */
interface Ended {
  code: number;
  out: string;
}

/** An empty folder of somebody who has just read a line to copy. */
export interface EmptyApplication {
  path: string;
  write(name: string, text: string): void;
  /** Runs a line as a shell does. */
  run(line: string, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): void;
}

const COMMAND_TIMEOUT_MS = 120_000;

/** Makes the folder. Its registry knows no name at all, and no package manager keeps anything outside of it. */
export function emptyApplication(): EmptyApplication {
  const path = mkdtempSync(join(tmpdir(), 'culprit-empty-'));
  const home = mkdtempSync(join(tmpdir(), 'culprit-empty-home-'));
  const npmSettings = {
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    // Nothing listens there: whoever asks it fails.
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  write('package.json', '{ "name": "app", "version": "1.0.0", "private": true }\n');
  return {
    path,
    write,
    run: (line, environment = {}) =>
      new Promise((resolve) => {
        const { PATH = '' } = process.env;
        const env = { PATH, HOME: home, ...npmSettings, ...environment };
        execFile(
          'sh',
          ['-c', line],
          { cwd: path, env, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 16 * 1_048_576 },
          (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: `${stdout}${stderr}` }),
        );
      }),
    remove() {
      for (const folder of [path, home]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
