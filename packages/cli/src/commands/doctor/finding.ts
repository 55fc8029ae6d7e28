/** The result of a check of `doctor` (docs/contract/command-line.md 2.2). */
export interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'wrong' | 'skipped';
  says: string;
  mend: string | null;
}

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says, mend: null };
}
export function warning(check: string, says: string, mend: string): Finding {
  return { check, level: 'warning', says, mend };
}
export function wrong(check: string, says: string, mend: string | null): Finding {
  return { check, level: 'wrong', says, mend };
}
export function skipped(check: string, says: string): Finding {
  return { check, level: 'skipped', says, mend: null };
}
