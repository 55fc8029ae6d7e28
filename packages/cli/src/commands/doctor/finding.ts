/** The result of a check of `doctor` (docs/contract/command-line.md 2.2). */
export interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'wrong' | 'skipped';
  says: string;
  hint: string | null;
}

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says, hint: null };
}
export function warning(check: string, says: string, hint: string): Finding {
  return { check, level: 'warning', says, hint };
}
export function wrong(check: string, says: string, hint: string | null): Finding {
  return { check, level: 'wrong', says, hint };
}
export function skipped(check: string, says: string): Finding {
  return { check, level: 'skipped', says, hint: null };
}
