import type { Severity } from './event.ts';

/** Severity words by rank; the rank is what is stored. */
export const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];
