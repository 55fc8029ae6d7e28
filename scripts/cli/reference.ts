import { writeFileSync } from 'node:fs';
import { referenceText } from '../../packages/cli/src/reference-text.ts';

/** Writes the reference of the command line from the table of its commands. */
writeFileSync(new URL('../../docs/command-line-reference.md', import.meta.url), referenceText());
