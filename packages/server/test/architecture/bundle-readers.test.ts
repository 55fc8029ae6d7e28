import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** The sources that contain a call, without the one that defines it. */
function callersOf(name: string): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) => {
      const text = readFileSync(SOURCE + path, 'utf8');
      return text.includes(`${name}(`) && !text.includes(`function ${name}(`);
    })
    .sort();
}

// Any other way to the row or the object of a bundle may show a document that is behind its incident.
it('bundles of incidents are read in one way, which has those built that are behind', () => {
  const folder = 'pipeline/bundles';
  expect(callersOf('findCurrentBundle')).toEqual([
    `${folder}/document/read-bundle.ts`,
    'pipeline/incidents/reading/list-logs.ts',
  ]);
  expect(callersOf('findBundles')).toEqual([`${folder}/queue/build-bundle.ts`]);
  expect(callersOf('readStoredDocument')).toEqual([`${folder}/queue/build-bundle.ts`]);
  expect(callersOf('readDocument')).toEqual([
    `${folder}/document/read-bundle.ts`,
    `${folder}/evidence/keep-lost-contents.ts`,
    'pipeline/improvements/read-improvement-bundle.ts',
  ]);
});
