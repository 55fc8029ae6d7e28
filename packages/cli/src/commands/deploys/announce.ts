import { createHash } from 'node:crypto';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { listServices } from '@culprit/contract/incidents/services';
import { CliError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { eventsApi } from '../../credentials/events-api.ts';
import { EXIT } from '../../exit-codes.ts';
import { listedEvents } from '../../import/event-lines.ts';
import { sendBatch } from '../../import/send-batch.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { projectId as chooseProject } from '../../references/project-reference.ts';
import { VERSION } from '../../version.ts';
import { serviceOf } from '../send/event-of-flags.ts';
import { followLifecycle } from '../tail/follow.ts';
import { deployFacts } from './deploy-facts.ts';

const RETRY_FOR_MS = 60_000;

export const run: Run = async (context, input) => {
  const facts = deployFacts(context, input);
  if (facts.version === null && facts.commit === null) {
    throw usageError(
      'Which version was deployed?',
      '--version TEXT or --commit SHA; neither was found in git or the CI job',
    );
  }
  const watchMs = input.durationMs('watch');
  if (watchMs === null && input.has('fail-on')) throw usageError('--fail-on needs --watch DURATION.');
  const services = await servicesOf(context, input);
  const events = services.map(({ name, environment }) => deployEvent(name, environment, facts));
  if (input.has('dry-run')) {
    printJson(context, { events });
    return EXIT.ok;
  }
  const { api, retryAfterSeconds } = await eventsApi(context);
  const lines = [...listedEvents({ origin: api.origin, path: 'deploys' }, events)].flatMap((each) =>
    'json' in each ? [{ line: each.line, json: Buffer.from(each.json) }] : [],
  );
  const outcome = await sendBatch(lines, {
    api,
    retryAfterSeconds,
    retryForMs: RETRY_FOR_MS,
    signal: context.interrupted,
    say: (text) => say(context, text),
  });
  if (outcome === null) return EXIT.interrupted;
  const announced = services.map(({ name, environment }, index) => {
    const reason = outcome.rejected.find(({ line }) => line === index + 1)?.reason ?? null;
    return {
      service: name,
      environment,
      event_id: String(events[index]?.event_id),
      accepted: reason === null,
      reason,
    };
  });
  if (context.globals.json) printJson(context, { announced });
  else if (context.globals.quiet)
    printLines(
      context,
      announced.map(({ event_id }) => event_id),
    );
  else {
    const words = [facts.version, facts.commit?.slice(0, 8)].filter((word) => word != null).join(' ');
    printLines(
      context,
      announced.map(({ service, environment, accepted, reason }) =>
        visibleLine(
          `${service} / ${environment}  ${words}  ${accepted ? 'announced' : `rejected: ${reason}`}`,
        ),
      ),
    );
  }
  const failed = announced.filter(({ accepted }) => !accepted).length;
  if (failed > 0) return failed === announced.length ? EXIT.refused : EXIT.partial;
  if (watchMs === null) return EXIT.ok;
  return await followLifecycle(context, input, { forMs: watchMs });
};

type Facts = ReturnType<typeof deployFacts>;

/** The same facts make the same event, so a CI job that runs again announces nothing twice. */
function deployEvent(service: string, environment: string, facts: Facts): JsonObject {
  const { version, commit, branch, deployedAt } = facts;
  const identity = [service, environment, version, commit, branch, facts.isTimeNamed ? deployedAt : ''].join(
    '\n',
  );
  return {
    event_id: `cli_${createHash('sha256').update(identity).digest('hex').slice(0, 40)}`,
    event_type: 'deploy_metadata',
    timestamp: deployedAt,
    service: { name: service, environment },
    sdk: { name: 'culprit-cli', version: VERSION },
    payload: {
      // The payload always names a commit; an unknown one is sent as such.
      commit_sha: commit ?? 'unknown',
      version: version ?? commit,
      ...(branch === null ? {} : { branch }),
      environment,
      deployed_at: deployedAt,
    },
  };
}

async function servicesOf(context: Context, input: Input): Promise<{ name: string; environment: string }[]> {
  const { name, environment } = serviceOf(context, input, '');
  if (input.has('all-services')) {
    const services = await visibleServices(context);
    const named = services.filter((service) => service.environment === environment);
    if (named.length > 0) return named.map((service) => ({ name: service.name, environment }));
    throw new CliError(`No service of "${environment}" has sent an event yet.`, {
      exit: EXIT.notFound,
      code: 'no_services',
      hint: 'culprit services list',
    });
  }
  const names = input.list('service');
  if (names.length > 0) return names.map((each) => ({ name: each, environment }));
  if (name === '') throw usageError('Which service was deployed?', '--service NAME, or --all-services');
  return [{ name, environment }];
}

async function visibleServices(context: Context): Promise<{ name: string; environment: string }[]> {
  const api = await context.api();
  const project_id = await chooseProject(context);
  const services: { name: string; environment: string }[] = [];
  let cursor: string | null = null;
  do {
    const query: QueryOf<typeof listServices> = {
      project_id,
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    };
    const page: ServicePage = await api.call(listServices, { query });
    services.push(...page.services);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return services;
}

interface ServicePage {
  services: { name: string; environment: string }[];
  next_cursor: string | null;
}
