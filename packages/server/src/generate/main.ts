import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { api } from '@culprit/contract/endpoints/api';
import { buildOpenApiDocument } from '@culprit/contract/endpoints/openapi';
import { renderConfigurationDoc } from '../platform/config/config.ts';
import { VERSION } from '../version.ts';

/** Writes the generated documents, or with `--check` fails when one of them is stale. */
const isCheck = process.argv.includes('--check');

const WIDTH = 120;

const documents = [
  {
    path: 'docs/openapi.json',
    text: `${printJson(buildOpenApiDocument(api, { title: 'Culprit', version: VERSION }))}\n`,
  },
  { path: 'docs/configuration.md', text: renderConfigurationDoc() },
];

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const stale: string[] = [];
for (const { path, text } of documents) {
  const current = await readFile(root + path, 'utf8').catch(() => '');
  if (current === text) continue;
  stale.push(path);
  if (!isCheck) await writeFile(root + path, text);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(`Stale: ${stale.join(', ')}. Run: npm run generate\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(
    stale.length === 0 ? 'Generated documents are current.\n' : `Written: ${stale.join(', ')}\n`,
  );
}

/** Returns a value as JSON in which whatever fits on a line is on one, so that people can read and compare it. */
function printJson(value: unknown, indent = '', before = 0): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < WIDTH)
    return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => `${inner}${printJson(each, inner)}`)
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => {
          const name = `${JSON.stringify(key)}: `;
          return `${inner}${name}${printJson(each, inner, name.length)}`;
        });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}
