import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtCli } from '../support/built-cli.ts';

const MAIN = await builtCli();

/** A project on disk in which libraries wrote events. */
export interface TemporaryProject {
  path: string;
  /** Writes a file below the project, folders included. */
  write(name: string, content: string | Uint8Array | readonly object[]): string;
  /** Runs `culprit` in the project, or in a folder of it. */
  runAny(args: readonly string[], options?: RunPlace): Ran;
  /** The same with `culprit local`. */
  run(args: readonly string[], options?: RunPlace): Ran;
  remove(): void;
}

interface RunPlace {
  folder?: string;
  localDir?: string;
}

interface Ran {
  code: number;
  out: string;
  err: string;
}

export const EVENTS = '.culprit/local/events';

export function createTemporaryProject(): TemporaryProject {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-local-')));
  const runAny: TemporaryProject['runAny'] = (args, { folder = '.', localDir } = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: join(path, folder),
      env: {
        PATH: process.env.PATH ?? '',
        HOME: path,
        ...(localDir === undefined ? {} : { CULPRIT_LOCAL_DIR: localDir }),
      },
      encoding: 'utf8',
    });
    return { code: status ?? -1, out: stdout, err: stderr };
  };
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      const isText = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(file, isText ? content : JSON.stringify(content));
      return file;
    },
    runAny,
    run: (args, place) => runAny(['local', ...args], place),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
