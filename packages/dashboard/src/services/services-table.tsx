import type { ServiceActivity, ServiceActivityAnswer } from '@culprit/contract/incidents/service-activity';
import type { Service } from '@culprit/contract/incidents/services';
import type { Deployment } from '@culprit/contract/releases/deployments';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { trendWords } from '../format/incident-words.ts';
import { count, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Commit, ReleaseLink, ServiceLink } from '../shell/parts/fact-links.tsx';
import { SeverityMark } from '../shell/triage/severity.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import styles from './services-table.module.css';

/** The services by name, each with a line for every environment that it runs in. */
export function ServicesTable({
  pid,
  services,
  activity,
  deployments,
}: {
  pid: string;
  services: readonly Service[];
  /** Undefined while it is read, and if the server does not have it. */
  activity: ServiceActivityAnswer | undefined;
  deployments: readonly Deployment[];
}) {
  const activityById = new Map(activity?.services.map((each) => [each.service_id, each]));
  const deploymentById = new Map(deployments.map((each) => [each.deployment_id, each]));
  return (
    <table className={styles.table} aria-label="Services">
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">Environment</th>
          <th scope="col">Runtime</th>
          <th scope="col">Failing</th>
          <th scope="col">24 h</th>
          <th scope="col">Release</th>
          <th scope="col" className={styles.number}>
            Last event
          </th>
        </tr>
      </thead>
      {groupsOf(services).map(({ name, environments }) => (
        <tbody key={name}>
          {environments.map((service, index) => {
            const found = activityById.get(service.service_id);
            return (
              <tr key={service.service_id}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={environments.length} className={styles.name} translate="no">
                    <ServiceLink pid={pid} name={name} />
                  </th>
                )}
                <td className={styles.environment} translate="no">
                  <Link
                    to={pathTo('incidents', { pid })}
                    search={{ service: name, environment: service.environment }}
                    className={styles.link}
                    aria-label={`Incidents of ${visibleLine(name)} in ${visibleLine(service.environment)}`}
                  >
                    {visibleLine(service.environment)}
                  </Link>
                </td>
                <td data-title="Runtime" className={styles.soft} translate="no">
                  {visibleLine([service.runtime, service.framework].filter(Boolean).join(' · ') || '–')}
                </td>
                <td data-title="Failing">
                  <Failing activity={found} />
                </td>
                <td data-title="24 h">
                  {found === undefined ? (
                    '–'
                  ) : (
                    <>
                      <Sparkline counts={found.counts} />
                      <span className="visually-hidden">{trendWords(found.counts)}</span>
                    </>
                  )}
                </td>
                <td data-title="Release" className={styles.release} translate="no">
                  <Running deployment={deploymentById.get(found?.latest_deployment_id ?? '')} pid={pid} />
                </td>
                <td data-title="Last event" className={`${styles.number} ${styles.soft}`}>
                  {found === undefined ? '–' : <Time iso={found.last_event_at} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      ))}
    </table>
  );
}

/** Shows the number of its active incidents, and the worst severity. */
function Failing({ activity }: { activity: ServiceActivity | undefined }) {
  if (activity === undefined) return '–';
  const { open_incidents: open, regressed_incidents: regressed, worst_severity: worst } = activity;
  const active = open + regressed;
  if (active === 0) return <span className={styles.soft}>nothing</span>;
  return (
    <span className={styles.failing}>
      {worst !== null && <SeverityMark severity={worst} isCompact />}
      <span title={regressed === 0 ? undefined : plural(regressed, 'is regressed', 'are regressed')}>
        {count(active)}
      </span>
    </span>
  );
}

/** Shows the deployed version, or the commit of a deploy without one. */
function Running({ deployment, pid }: { deployment: Deployment | undefined; pid: string }) {
  if (deployment === undefined) return '–';
  const { version, commit_sha: sha } = deployment;
  if (version !== null) return <ReleaseLink pid={pid} version={version} />;
  return sha === null ? '–' : <Commit sha={sha} />;
}

/** By name, in the order of the list. */
function groupsOf(services: readonly Service[]): { name: string; environments: Service[] }[] {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    groups.set(service.name, [...(groups.get(service.name) ?? []), service]);
  }
  return [...groups].map(([name, environments]) => ({ name, environments }));
}
