import type { ReadyField } from './event-shapes.ts';

type FaultKind = 'missing' | 'invalid' | 'conflict' | 'unknown';

export interface Fault {
  kind: FaultKind;
  /** From the object at hand; the caller puts its own name in front. */
  path: string;
  /** The second path of a conflict. */
  other: string;
}

/** The fault "this value is wrong" until the field that holds it is known. */
export const WRONG: Fault = { kind: 'invalid', path: '', other: '' };

export function missing(field: ReadyField): Fault {
  return { kind: 'missing', path: field.names[0], other: '' };
}

export function invalid(field: ReadyField): Fault {
  return invalidAt(field.names[0]);
}

export function invalidAt(path: string): Fault {
  return { kind: 'invalid', path, other: '' };
}

/** The fault as seen from the object or list that holds the one it was found in; null stays null. */
export function below(name: string, fault: Fault): Fault;
export function below(name: string, fault: Fault | null): Fault | null;
export function below(name: string, fault: Fault | null): Fault | null {
  if (fault === null) return null;
  const { kind, path, other } = fault;
  return {
    kind,
    path: joined(name, fault, path),
    other: kind === 'conflict' ? joined(name, fault, other) : '',
  };
}

/** List items have no dot in front; an unknown key keeps it even when it looks like one. */
function joined(name: string, fault: Fault, path: string): string {
  return path.startsWith('[') && fault.kind !== 'unknown' ? `${name}${path}` : `${name}.${path}`;
}
