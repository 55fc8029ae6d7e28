import { writeFileSync } from 'node:fs';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { getIncident, type Incident } from '@culprit/contract/incidents/incidents';
import { codeLink, commitOf } from '@culprit/contract/releases/repository-links';
import { getProject } from '@culprit/contract/workspace/projects';
import { type NoBundle, noBundleWords } from '@culprit/mcp/words/no-bundle';
import { CliError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, say } from '../../output/print.ts';
import { visibleJson } from '../../output/visible-text.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { sleep } from '../../sleep.ts';
import { openInBrowser } from '../open/open-in-browser.ts';
import { bundleForm, bundlePage, bundleSections } from './bundle-page.ts';

const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 500;

export const run: Run = async (context, input) => {
  const api = await context.api();
  const reference = input.first;
  const id = await incidentIdOf(context, reference);
  const form = bundleForm(context, input);
  const sections = bundleSections(input);
  const document = await readBundle(context, id, input.has('wait'));
  if (form === 'json') {
    if (input.has('output')) writeOut(context, input, `${visibleJson(document, 2)}\n`);
    else printJson(context, document);
    if (!('status' in document) || document.status !== 'failed') return EXIT.ok;
    say(context, noBundle(document).message);
    return EXIT.negative;
  }
  if (!('bundle_version' in document)) throw noBundle(document);
  if (input.has('web')) return await openInBrowser(context, document.links.incident ?? api.origin);
  const { incident } = await api.call(getIncident, { params: { id } });
  writeOut(
    context,
    input,
    await bundlePage(context, input, {
      incident,
      bundle: document,
      form,
      sections,
      codeUrl: form === 'markdown' ? await codeUrlOf(context, incident, document) : null,
      next: {
        reproduce: `culprit reproduce ${reference} --run`,
        resolve: `culprit incidents resolve ${reference}`,
      },
    }),
  );
  return EXIT.ok;
};

/** The line in the repository of the project; asked for only where the bundle has a commit. */
async function codeUrlOf(context: Context, incident: Incident, bundle: DebugBundle): Promise<string | null> {
  if (commitOf(bundle) === null) return null;
  const api = await context.api();
  const { project } = await api.call(getProject, { params: { id: incident.project_id } });
  return codeLink(project.repositories, bundle);
}

/** The document, or that it is pending or failed; waits for it when that is wanted. */
async function readBundle(context: Context, id: string, isAwaited: boolean) {
  const api = await context.api();
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const document = await api.call(getIncidentBundle, { params: { id } });
    const isPending = 'status' in document && document.status === 'pending';
    if (!isPending || !isAwaited || performance.now() > deadline || context.interrupted.aborted) {
      if (isPending && context.globals.json) say(context, 'The bundle is still being built.');
      return document;
    }
    await sleep(LOOK_EVERY_MS, context.interrupted);
  }
}

function noBundle(document: NoBundle): CliError {
  const words = `${noBundleWords(document)}.`;
  return document.status === 'pending'
    ? new CliError(words, { exit: EXIT.negative, code: 'bundle_pending', hint: 'wait for it: --wait' })
    : new CliError(words, { exit: EXIT.negative, code: document.reason });
}

function writeOut({ terminal }: Context, input: Input, text: string): void {
  const file = input.text('output');
  if (file === null) terminal.out(text);
  else writeFileSync(file, text);
}
