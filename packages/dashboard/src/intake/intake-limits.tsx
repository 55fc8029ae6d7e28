import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { billingQuery, meterOf } from '../api/billing.ts';
import { fullCount } from '../format/numbers.ts';
import { absoluteTime } from '../format/times.ts';
import { pathTo } from '../paths.ts';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { Meter } from '../ui/plots/meter.tsx';
import { Section, SectionText } from '../ui/section.tsx';

/** Shows the rest of the allowance in this period. It is the organization's, so only its owner sees all of it. */
export function IntakeLimits({ project }: { project: Project }) {
  const { effective_role: role, metrics, owner_email: owner } = project;
  const isOwner = role === 'owner';
  const { data, error, refetch } = useQuery({ ...billingQuery, enabled: isOwner });
  const meter = data === undefined ? null : meterOf(data.allowances.monthly_raw_ingested_events);
  return (
    <Section
      id="limits"
      title="Limits"
      actions={
        isOwner && (
          <Link className={linkStyles.link} to={pathTo('organization')}>
            Plan and usage
          </Link>
        )
      }
    >
      <SectionText>
        <p>
          This project sent {fullCount(metrics.monthly_raw_ingested_events)} events this month (UTC).
          {isOwner ? '' : ` The limit applies to the whole organization. Owner: ${owner}`}
        </p>
      </SectionText>
      {isOwner && data === undefined && error !== null && (
        <PartError error={error} retry={() => void refetch()} />
      )}
      {meter !== null && data !== undefined && (
        <Meter label="Events of the organization" {...meter}>
          {meter.limit !== null &&
            `Above the limit, events are still accepted and count toward the next period, which begins ${absoluteTime(data.usage_window.ends_at)}.`}
        </Meter>
      )}
    </Section>
  );
}
