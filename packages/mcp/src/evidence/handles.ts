import { SECTION_NAMES, type SectionName } from './sections.ts';

/** A position in the evidence of an incident, from which an answer can continue. Any process can read it. */
interface Handle {
  /** Id of the incident, with `local:` before one of this machine. */
  incidentId: string;
  generation: number;
  section: SectionName;
  offset: number;
}

const FORM = /^((?:local:)?[A-Za-z0-9_-]{1,128})~(\d{1,9})~([a-z]{1,20})~(\d{1,6})$/;

/** Returns the beginning of every handle of one answer, before the section. */
export function handleStart(incidentId: string, generation: number): string {
  return `${incidentId}~${generation}~`;
}

/** The handle that a text is; null when it is none. */
export function readHandle(text: string): Handle | null {
  const [, incidentId = '', generation, name, offset] = FORM.exec(text) ?? [];
  const section = SECTION_NAMES.find((each) => each === name);
  if (section === undefined) return null;
  return { incidentId, generation: Number(generation), section, offset: Number(offset) };
}
