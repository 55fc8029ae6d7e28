import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { api } from '@culprit/contract/api';
import { buildOpenApiDocument } from '@culprit/contract/openapi';
import { renderConfigurationDoc } from '../platform/config/config.ts';
import { VERSION } from '../version.ts';

/** Writes the generated documents, or with `--check` fails when one of them is stale. */
const isCheck = process.argv.includes('--check');

const documents = [
  {
    path: 'docs/openapi.json',
    text: `${JSON.stringify(buildOpenApiDocument(api, { title: 'Culprit', version: VERSION }), null, 2)}\n`,
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
