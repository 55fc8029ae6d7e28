import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { PACKAGE_MANAGERS, type PackageSource } from '@culprit/contract/setup/install-lines';
import { AGENT_CHOICES, type HostFile, hostFile } from '../../agents/agent-hosts.ts';
import { hostEntry } from '../../agents/host-entry.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Application, findApplication } from '../../init/application.ts';
import { type ChosenFramework, chooseFrameworks } from '../../init/choose-frameworks.ts';
import { type ChosenProject, chooseProject, connect, ensureProject, makeToken } from '../../init/connect.ts';
import { waitForApplication } from '../../init/first-event.ts';
import { foreignLibraryWords } from '../../init/foreign-libraries.ts';
import { isChanged } from '../../init/git.ts';
import { type Installation, install, planInstallation } from '../../init/install.ts';
import { OTHER_LANGUAGE, otherLanguageWords } from '../../init/other-language.ts';
import {
  changeWord,
  isChange,
  type Plan,
  type PlanValues,
  planFiles,
  tokenVariables,
  writtenValue,
} from '../../init/plan.ts';
import { type Proof, proveDelivery } from '../../init/proof.ts';
import { Snapshot, writePlanned } from '../../init/write-files.ts';
import type { Input } from '../../input.ts';
import { askText, confirm } from '../../output/ask.ts';
import { fileDiff } from '../../output/file-diff.ts';
import { printJson, printRecord, say } from '../../output/print.ts';
import { packageSource } from '../../packages/package-source.ts';

const ENVIRONMENT_DEFAULT = 'development';
const NEW_TOKEN = '(a new token)';
const NEW_PROJECT = '(a new project)';

/** The decisions before any question or change. */
interface Decided {
  context: Context;
  input: Input;
  application: Application;
  frameworks: readonly ChosenFramework[];
  /** Null when no server hands out packages. */
  source: PackageSource | null;
  /** Null in local mode. */
  project: ChosenProject | null;
  allowedOrigins: readonly string[];
  installation: Installation | null;
}

export const run: Run = async (outer, input) => {
  const application = await findApplication(outer, input);
  const other = foreignLibraryWords(application);
  if (other !== null) say(outer, other);
  const isLocal = input.has('local');
  const context = isLocal ? outer : await connect(outer, input, application);
  const source = await packageSource(context);
  const frameworks =
    application.manifest === null
      ? [OTHER_LANGUAGE]
      : await chooseFrameworks(context, input, application, source);
  const project = isLocal ? null : await chooseProject(context, input, application);
  const decided: Decided = {
    context,
    input,
    application,
    frameworks,
    source,
    project,
    allowedOrigins: isLocal ? [] : await originsOfPages(context, input, application, frameworks),
    installation: input.has('no-install')
      ? null
      : await planInstallation(application, frameworks, {
          named: input.choice('package-manager', PACKAGE_MANAGERS),
          source,
        }),
  };
  const preview = planFiles(application, frameworks, await valuesOf(decided, project?.id ?? NEW_PROJECT));
  const changes = preview.files.filter(isChange);
  if (changes.length === 0 && decided.installation === null) {
    say(context, 'Everything is already set up. Nothing was changed.');
    return report(decided, preview, { projectId: project?.id ?? null, proof: null });
  }
  if (input.has('dry-run')) {
    if (context.globals.json)
      return report(decided, preview, { projectId: project?.id ?? null, proof: null });
    context.terminal.out(
      `${projectWords(decided)}${installWords(decided.installation)}${changes.map(fileDiff).join('')}`,
    );
    return EXIT.ok;
  }
  await askConsent(decided, preview);
  const { plan, projectId } = await change(decided, preview);
  for (const remark of plan.remarks) say(context, remark);
  if (application.manifest === null) say(context, otherLanguageWords(context, plan.environmentPath));
  const proof = projectId === null ? null : await prove(decided, projectId);
  const exit = report(decided, plan, { projectId, proof });
  sayNext(decided, plan);
  if (projectId !== null && context.terminal.isInteractive && !context.globals.json) {
    await waitForApplication(context, projectId);
  }
  return exit;
};

/** Tokens that are written already stay; the others are new. */
async function valuesOf(
  { context, input, application, frameworks, source, project }: Decided,
  projectId: string,
  newToken: (setup: ChosenFramework['setup']) => Promise<string> = async () => NEW_TOKEN,
): Promise<PlanValues> {
  const tokens: Record<string, string> = {};
  for (const { setup } of project === null ? [] : frameworks) {
    for (const name of tokenVariables(setup)) {
      tokens[name] = writtenValue(application, name) ?? (await newToken(setup));
    }
  }
  const file = agentFile(context, input, application);
  return {
    server: project === null ? null : { origin: context.settings().origin, projectId },
    tokens,
    service: application.isServiceKnown ? null : application.service,
    environment: input.text('environment'),
    entry: input.text('entry'),
    agent: file === null ? null : { file, entry: hostEntry(source, []) },
  };
}

/** Returns the place of the settings of the coding agent that a flag names. */
function agentFile({ environment }: Context, input: Input, { directory }: Application): HostFile | null {
  const host = input.choice('agent', AGENT_CHOICES);
  if (host === null || host === 'none') return null;
  const file = hostFile(host, { directory, environment, platform: process.platform });
  const path = existsSync(file.path) ? realpathSync(file.path) : file.path;
  const below = relative(directory, path);
  return { ...file, path: below.startsWith('..') ? path : below };
}

/** Returns true if the token of a framework is in pages, where everyone can read it. */
function isPublic({ setup }: Pick<ChosenFramework, 'setup'>): boolean {
  return setup.library === '@culprit/browser' && tokenVariables(setup).length > 0;
}

async function originsOfPages(
  context: Context,
  input: Input,
  application: Application,
  frameworks: readonly ChosenFramework[],
): Promise<readonly string[]> {
  const named = input.list('allowed-origin');
  const isNeeded = frameworks.some(
    (framework) =>
      isPublic(framework) &&
      tokenVariables(framework.setup).some((name) => writtenValue(application, name) === null),
  );
  if (!isNeeded || named.length > 0) return named;
  const answer = await askText(context, 'Origins of its pages, such as http://localhost:5173', () =>
    usageError(
      'The token of a page is public, so it is bound to the origins of the pages.',
      'add them: --allowed-origin http://localhost:5173',
    ),
  );
  const origins = answer.split(/[\s,]+/).filter((each) => each !== '');
  if (origins.length === 0) throw usageError('No origin was given. Nothing was changed.');
  return origins;
}

/** Shows the installations and changes; one question for all, and one for each file that has uncommitted changes. */
async function askConsent(decided: Decided, { files }: Plan): Promise<void> {
  const { context, application, installation } = decided;
  const changes = files.filter(isChange);
  say(
    context,
    `${projectWords(decided)}${installWords(installation)}${changes.map(fileDiff).join('')}`.trimEnd(),
  );
  for (const { path } of changes.filter(({ before }) => before !== null)) {
    if (!isChanged(application.directory, path)) continue;
    await confirm(
      context,
      `${path} has changes that are not committed. Change it?`,
      `${path} is not committed.`,
    );
  }
  await confirm(context, 'Install and write all of this?', 'This changes files.');
}

function projectWords({ input, project }: Decided): string {
  if (project === null || project.id !== null) return '';
  const alert = input.has('no-alert')
    ? ''
    : ', and mails you about new and regressed incidents (not with --no-alert)';
  return `Makes the project "${project.name}"${alert}.\n\n`;
}

function installWords(installation: Installation | null): string {
  return installation === null
    ? ''
    : `Installs ${installation.packages.join(', ')}: ${[installation.command, ...installation.args].join(' ')}\n\n`;
}

/** Installs and writes everything; when something fails, every file is as it was before. */
async function change(decided: Decided, preview: Plan): Promise<{ plan: Plan; projectId: string | null }> {
  const { context, input, application, frameworks, project, allowedOrigins, installation } = decided;
  const snapshot = new Snapshot(application.directory, preview.files);
  const made: { revoke: () => Promise<void> }[] = [];
  try {
    if (installation !== null) {
      say(context, `Running ${installation.command} ${installation.args.join(' ')}`);
      await install(application, installation);
    }
    if (context.interrupted.aborted) throw usageError('Interrupted.');
    const projectId =
      project === null ? null : await ensureProject(context, project, { isAlerting: !input.has('no-alert') });
    const values = await valuesOf(decided, projectId ?? '', async (setup) => {
      const token = await makeToken(context, projectId ?? '', {
        label: `${application.service} (init)`,
        allowedOrigins: isPublic({ setup }) ? allowedOrigins : [],
      });
      made.push(token);
      return token.token;
    });
    const plan = planFiles(application, frameworks, values);
    writePlanned(application.directory, plan.files);
    return { plan, projectId };
  } catch (error) {
    snapshot.restore();
    for (const token of made) await token.revoke().catch(() => null);
    throw error instanceof CliError
      ? error
      : new CliError(`The files could not be written: ${error instanceof Error ? error.message : ''}`, {
          exit: EXIT.failed,
          code: 'not_written',
          hint: 'nothing was changed',
        });
  }
}

/** One event on the way that the application will use. */
async function prove(decided: Decided, projectId: string): Promise<Proof | null> {
  const { context, input, application, frameworks, allowedOrigins } = decided;
  if (input.has('no-test-event')) return null;
  const found = frameworks
    .flatMap((framework) =>
      tokenVariables(framework.setup).map((name) => ({
        isPage: isPublic(framework),
        token: writtenValue(application, name),
      })),
    )
    .find(({ token }) => token !== null);
  if (found === undefined || found.token === null) {
    say(context, 'No test event was sent: events of this application are sent through its server.');
    return null;
  }
  say(context, 'Sending a test event.');
  return await proveDelivery(context, {
    origin: context.settings().origin,
    projectId,
    projectToken: found.token,
    pageOrigin: found.isPage ? (allowedOrigins[0] ?? null) : null,
    service: application.service,
    environment: input.text('environment') ?? ENVIRONMENT_DEFAULT,
    type: 'cli_init',
    keepsIncident: input.has('keep-incident'),
  });
}

function report(
  { context, input, application, installation }: Decided,
  { files }: Plan,
  { projectId, proof }: { projectId: string | null; proof: Proof | null },
) {
  const changed = files.filter(isChange).map(({ path }) => path);
  const body = {
    project_id: projectId,
    service: application.service,
    environment: input.text('environment') ?? ENVIRONMENT_DEFAULT,
    files: files.map((file) => ({ path: file.path, change: changeWord(file) })),
    installed: installation?.packages ?? [],
    incident_id: proof?.incident.incident_id ?? null,
    visible_ms: proof?.visibleMs ?? null,
  };
  if (context.globals.json) {
    printJson(context, body);
    return EXIT.ok;
  }
  printRecord(context, {
    body,
    id: body.incident_id ?? body.project_id,
    rows: [
      ['Service', body.service],
      ['Project', body.project_id],
      ['Changed', changed.join(', ')],
      ['Installed', body.installed.join(', ')],
      ['Incident', proof === null ? null : `${proof.incident.title} (${proof.incident.incident_id})`],
      ['Visible', proof === null ? null : `after ${proof.visibleMs} ms`],
    ],
  });
  return EXIT.ok;
}

function sayNext({ context, application, frameworks }: Decided, { environmentPath }: Plan): void {
  if (application.manifest === null) return;
  for (const { setup } of frameworks) say(context, setup.note);
  say(
    context,
    `The application reads ${environmentPath} when it starts here. Set the same variables wherever else it runs.`,
  );
}
