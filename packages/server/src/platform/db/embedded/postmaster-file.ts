import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MACHINE } from '../../machine.ts';
import type { ServerPlace } from './server-settings.ts';

/** The record that a running (or killed) server wrote about itself into its cluster. */
interface PostmasterFile extends ServerPlace {
  pid: number;
  isReady: boolean;
}

const FILE_NAME = 'postmaster.pid';

/** Reads `postmaster.pid`; null when there is none or it is not complete yet. */
export function readPostmasterFile(clusterDir: string): PostmasterFile | null {
  let lines: string[];
  try {
    lines = readFileSync(join(clusterDir, FILE_NAME), 'utf8').split('\n');
  } catch {
    return null;
  }
  // Lines: pid, data directory, start time, port, socket directory, address, shared memory key, status.
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0) {
    return null;
  }
  return {
    pid,
    port: Number.isInteger(port) ? port : 0,
    socketDirectory: lines[4]?.trim() || null,
    isReady: lines[7]?.trim() === 'ready',
  };
}

/** Removes the file of a server that is gone, so that the next one does not ask about its number. */
export function deletePostmasterFile(clusterDir: string): void {
  rmSync(join(clusterDir, FILE_NAME), { force: true });
}

/**
 * True when the process is a PostgreSQL server or one of its children working in this cluster: all of them have
 * it as their current directory. Where the system does not show that, the command line is read instead.
 */
export function isPostgresOfCluster(pid: number, clusterDir: string): boolean {
  return MACHINE.processList === 'proc'
    ? isPostgresHere(pid, clusterDir)
    : isNamedOnCommandLine(pid, clusterDir);
}

/** The processes of a server in this cluster, children of a killed one included; empty where `/proc` is missing. */
export function postgresProcessesOfCluster(clusterDir: string): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.map(Number).filter((pid) => Number.isInteger(pid) && isPostgresHere(pid, clusterDir));
}

function isPostgresHere(pid: number, clusterDir: string): boolean {
  try {
    const program = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return program === 'postgres' && isSameDirectory(`/proc/${pid}/cwd`, clusterDir);
  } catch {
    return false;
  }
}

function isSameDirectory(left: string, right: string): boolean {
  try {
    const a = statSync(left);
    const b = statSync(right);
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}

function isNamedOnCommandLine(pid: number, clusterDir: string): boolean {
  try {
    const commandLine = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return commandLine.includes('postgres') && commandLine.includes(clusterDir);
  } catch {
    return false;
  }
}
