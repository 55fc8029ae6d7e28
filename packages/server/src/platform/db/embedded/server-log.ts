import type { LauncherLog } from './launcher-log.ts';

const KEPT_LINES = 20;
const LINE_CHARACTERS_MAX = 2_000;
/** The client reports its own mistakes, so the log omits them, except where the store itself fails. */
const STORE_FAILURE_CLASSES = new Set(['53', '58', 'XX']);
/** Clients that came while the server was starting, stopping or ended them. */
const EXPECTED_FATAL_CODES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);

/** Logged at every start and stop; the launcher's own lines report the same in fewer words. */
const ROUTINE_BEGINNINGS = [
  'starting PostgreSQL',
  'listening on',
  'database system is ready',
  'database system was shut down',
  'database system is shut down',
  'received fast shutdown',
  'aborting any active transactions',
  'shutting down',
  'background worker "logical replication launcher"',
];

/** Reads what the server writes, forwards what an operator wants to know and keeps the last lines. */
export interface ServerLog {
  write(chunk: string): void;
  lastLines(): string[];
  /** Grows with every line, also those not forwarded: a sign of life during recovery. */
  linesRead(): number;
}

/** The server must run with the line prefix `[%p|%e|%b] ` of `server-settings.ts`. */
export function createServerLog(log: LauncherLog): ServerLog {
  const kept: string[] = [];
  let rest = '';
  let count = 0;

  function readLine(line: string): void {
    const entry = parseServerLine(line.slice(0, LINE_CHARACTERS_MAX));
    count += 1;
    if (entry === null || !isForOperators(entry)) {
      return;
    }
    kept.push(`${entry.severity}: ${entry.message}`);
    if (kept.length > KEPT_LINES) {
      kept.shift();
    }
    if (entry.severity === 'LOG' && isRoutine(entry)) {
      return;
    }
    log(levelOf(entry), `postgres: ${entry.message}`, { postgresPid: entry.pid, sqlState: entry.sqlState });
  }

  return {
    write(chunk) {
      const lines = (rest + chunk).split('\n');
      rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX);
      for (const line of lines) {
        readLine(line);
      }
    },
    lastLines: () => (rest === '' ? [...kept] : [...kept, rest]),
    linesRead: () => count,
  };
}

/** One line of the server's log. */
interface ServerLogEntry {
  pid: number;
  sqlState: string;
  backend: string;
  severity: string;
  message: string;
}

/** Lines without our prefix come from the loader or from before the settings were read; tabs continue a line. */
export function parseServerLine(line: string): ServerLogEntry | null {
  if (line.startsWith('\t') || line.trim() === '') {
    return null;
  }
  const prefixEnd = line.indexOf('] ');
  const fields = line.startsWith('[') && prefixEnd > 0 ? line.slice(1, prefixEnd).split('|') : [];
  const [pid, sqlState, backend] = fields;
  if (pid === undefined || sqlState === undefined || backend === undefined) {
    return { pid: 0, sqlState: '', backend: '', severity: 'FATAL', message: line.trim() };
  }
  const text = line.slice(prefixEnd + 2);
  const severityEnd = text.indexOf(':');
  return {
    pid: Number(pid),
    sqlState,
    backend,
    severity: text.slice(0, severityEnd),
    message: text.slice(severityEnd + 1).trim(),
  };
}

function isForOperators(entry: ServerLogEntry): boolean {
  if (entry.severity === 'ERROR' && entry.backend === 'client backend') {
    return STORE_FAILURE_CLASSES.has(entry.sqlState.slice(0, 2));
  }
  return !(entry.severity === 'FATAL' && EXPECTED_FATAL_CODES.has(entry.sqlState));
}

function isRoutine(entry: ServerLogEntry): boolean {
  // A client that was killed leaves "connection reset" behind; that is its owner's to notice.
  return (
    entry.backend === 'client backend' ||
    ROUTINE_BEGINNINGS.some((beginning) => entry.message.startsWith(beginning))
  );
}

function levelOf(entry: ServerLogEntry): 'info' | 'warn' | 'error' {
  if (entry.severity === 'ERROR' || entry.severity === 'FATAL' || entry.severity === 'PANIC') {
    return 'error';
  }
  return entry.severity === 'WARNING' ? 'warn' : 'info';
}
