import checkIcon from 'virtual:icon/check';
import type { ServiceActivity } from '@culprit/contract/incidents/service-activity';
import type { Service } from '@culprit/contract/incidents/services';
import { isSampleService } from '@culprit/contract/workspace/sample-services';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { servicesQuery } from '../api/projects.ts';
import { serviceActivityQuery } from '../api/services.ts';
import { trendWords } from '../format/incident-words.ts';
import { count } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { ServiceName } from '../shell/parts/service-name.tsx';
import { Icon } from '../ui/icon.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import { Section } from '../ui/section.tsx';
import styles from './rows.module.css';

const SHOWN = 5;

interface Line {
  name: string;
  active: number;
  counts: readonly number[];
}

/** Shows the services that send events, and their failures; the worst first. */
export function ServicesPart({ pid }: { pid: string }) {
  const services = useQuery(servicesQuery(pid));
  const activity = useQuery(serviceActivityQuery(pid));
  const lines = linesOf(services.data ?? [], activity.data?.services ?? []);
  const error = services.error ?? activity.error;
  return (
    <Section
      id="services"
      title="Services"
      actions={
        <Link className={styles.all} to={pathTo('services', { pid })}>
          {lines.length > SHOWN ? `All ${lines.length} services` : 'All services'}
        </Link>
      }
    >
      {error !== null && activity.data === undefined ? (
        <PartError error={error} retry={() => void Promise.all([services.refetch(), activity.refetch()])} />
      ) : (
        <ul className={styles.rows}>
          {lines.slice(0, SHOWN).map(({ name, active, counts }) => (
            <li key={name}>
              <Link
                className={styles.name}
                to={pathTo('incidents', { pid })}
                search={{ service: name }}
                translate="no"
              >
                <ServiceName name={name} />
              </Link>
              <Sparkline counts={counts} width={72} />
              <span className="visually-hidden">{trendWords(counts)}</span>
              {active === 0 ? (
                <span className={`${styles.fine} ${styles.count}`}>
                  <Icon path={checkIcon} size={14} /> ok
                </span>
              ) : (
                <span className={`${styles.warn} ${styles.count}`}>{count(active)} open</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** One line a name, whatever number of environments it runs in; without the services of sample data. */
function linesOf(services: readonly Service[], activity: readonly ServiceActivity[]): Line[] {
  const byId = new Map(activity.map((each) => [each.service_id, each]));
  const lines = new Map<string, Line>();
  for (const { name, service_id: id } of services) {
    if (isSampleService(name)) continue;
    const found = byId.get(id);
    const before = lines.get(name) ?? { name, active: 0, counts: [] };
    lines.set(name, {
      name,
      active: before.active + (found?.open_incidents ?? 0) + (found?.regressed_incidents ?? 0),
      counts: (found?.counts ?? []).map((each, index) => each + (before.counts[index] ?? 0)),
    });
  }
  return [...lines.values()].toSorted((a, b) => b.active - a.active || a.name.localeCompare(b.name));
}
