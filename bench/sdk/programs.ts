import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostFolder } from '../../packages/sdk-test-hosts/hosts.ts';
import type { Peers } from './peers.ts';

/** The library of an application: none, ours, or one that does the same. */
export type Candidate = 'bare' | '@culprit/node' | '@sentry/node';

/** The programs of `bench/sdk/programs`, in a folder with the packed library and the peers. */
export interface Programs {
  /** Runs one until it ends; gives its figures. */
  figures(program: string, candidate: Candidate, more?: readonly string[]): Promise<Figures>;
  /** Starts one that serves. */
  serve(program: string, candidate: Candidate): Promise<ServingProgram>;
  remove(): Promise<void>;
}

export interface ServingProgram {
  port: number;
  ask(): Promise<Figures>;
  stop(): Promise<void>;
}

/** The figures that a program printed. */
export type Figures = Readonly<Record<string, unknown>>;

const SOURCES = fileURLToPath(new URL('programs', import.meta.url));

/** @param endpoint of ingestion, that of the peers too */
export async function preparePrograms(peers: Peers, endpoint: string): Promise<Programs> {
  const folder = await hostFolder();
  cpSync(SOURCES, folder.path, { recursive: true });
  if ('nodeModules' in peers) {
    mkdirSync(join(folder.path, 'node_modules/@sentry'), { recursive: true });
    symlinkSync(
      join(peers.nodeModules, '@sentry/node'),
      join(folder.path, 'node_modules/@sentry/node'),
      'dir',
    );
  }

  function start(program: string, candidate: Candidate, more: readonly string[]): ChildProcess {
    return fork(join(folder.path, program), [candidate, endpoint, ...more], {
      cwd: folder.path,
      // Nothing of this command's own settings, such as a cache of compiled code.
      env: { PATH: process.env.PATH },
      execArgv: ['--expose-gc'],
    });
  }

  return {
    async figures(program, candidate, more = []) {
      const child = start(program, candidate, more);
      const ended = once(child, 'exit');
      const figures = await nextMessage(child);
      await ended;
      return figures;
    },
    async serve(program, candidate) {
      const child = start(program, candidate, []);
      const { port } = await nextMessage(child);
      return {
        port: Number(port),
        async ask() {
          const answer = nextMessage(child);
          child.send('figures');
          return await answer;
        },
        async stop() {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
    remove: () => folder.remove(),
  };
}

/** A number that a program said. @throws Error when it said something else */
export function figureOf(figures: Figures, name: string): number {
  const value = figures[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`a program said no ${name}`);
  return value;
}

/** @throws Error when the program ends before it says something */
async function nextMessage(child: ChildProcess): Promise<Figures> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    const [message]: unknown[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`);
      }),
    ]);
    if (typeof message !== 'object' || message === null) throw new Error('a program said nothing');
    return Object.fromEntries(Object.entries(message));
  } finally {
    settled.abort();
  }
}
