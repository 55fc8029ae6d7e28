/** The result of one check. `wrong` makes the doctor fail; a `warning` is allowed, but perhaps not intended. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'wrong';
  /** One line. */
  what: string;
  /** The remedy in one line; null if there is nothing to do. */
  todo: string | null;
  /** Milliseconds since the epoch; null if it is not known, or there is nothing to do. */
  sinceMs: number | null;
  /** The command that fixes it; null if no one command helps. */
  command: string | null;
}

/** The further details of some findings. */
type FindingDetails = Partial<Pick<Finding, 'sinceMs' | 'command'>>;

export function ok(check: string, what: string): Finding {
  return { check, state: 'ok', what, todo: null, sinceMs: null, command: null };
}
export function warning(check: string, what: string, todo: string, details: FindingDetails = {}): Finding {
  return { check, state: 'warning', what, todo, sinceMs: null, command: null, ...details };
}
export function wrong(check: string, what: string, todo: string, details: FindingDetails = {}): Finding {
  return { check, state: 'wrong', what, todo, sinceMs: null, command: null, ...details };
}

/** The failure in a word or a sentence that holds no secret of ours. */
export function failureText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
