import type { BillingSummary } from '@culprit/contract/workspace/billing';
import { useQuery } from '@tanstack/react-query';
import { billingQuery, meterOf } from '../api/billing.ts';
import { serverQuery } from '../api/server.ts';
import { sessionQuery } from '../api/session.ts';
import { absoluteTime } from '../format/times.ts';
import { OwnScreen } from '../shell/frame/own-screen.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { Meter } from '../ui/plots/meter.tsx';
import { Section } from '../ui/section.tsx';
import { METERS } from './allowances.ts';
import { Capacity } from './capacity.tsx';
import { GroupGrants } from './group-grants.tsx';
import { groupGrantsQuery } from './group-grants-query.ts';
import { Plan } from './plan.tsx';

/** The screen of usage: the used allowances, their reset, and the effect of their end. */
export function OrganizationPage() {
  const { data: session } = useQuery(sessionQuery);
  const isOwner = session?.role === 'owner';
  const billing = useQuery({ ...billingQuery, enabled: isOwner });
  const { data: server } = useQuery(serverQuery);
  const provider = server?.auth.oidc === true ? server.auth.oidc_name : null;
  // Together, so that nothing moves when the one or the other is there.
  const groups = useQuery({ ...groupGrantsQuery, enabled: isOwner && provider !== null });
  return (
    <OwnScreen title="Organization" intro="The plan, usage and access of all projects that you own.">
      {session !== null && session !== undefined && !isOwner && (
        <Notice title="Only the owner of an organization sees its plan and usage.">
          You do not own an organization. Create a project to get one.
        </Notice>
      )}
      {isOwner && (billing.isPending || groups.isLoading) && <SkeletonRows rows={8} />}
      {isOwner && billing.isError && billing.data === undefined && (
        <PartError error={billing.error} retry={() => void billing.refetch()} />
      )}
      {billing.data !== undefined && !groups.isLoading && <Billing billing={billing.data} />}
      {isOwner && !billing.isPending && !groups.isLoading && provider !== null && (
        <GroupGrants provider={provider} />
      )}
    </OwnScreen>
  );
}

function Billing({ billing }: { billing: BillingSummary }) {
  const { data: server } = useQuery(serverQuery);
  const { usage_window: period, allowances } = billing;
  return (
    <>
      <Plan billing={billing} server={server} />
      <Section id="usage" title="Usage" note={`The next period begins ${absoluteTime(period.ends_at)}`}>
        {METERS.map(({ name, label, whenLittle, whenNone }) => {
          const meter = meterOf(allowances[name]);
          const share = meter.limit === null ? 0 : meter.used / Math.max(1, meter.limit);
          return (
            <Meter key={name} label={label} {...meter}>
              {share >= 1 ? whenNone : share >= 0.8 ? whenLittle : null}
            </Meter>
          );
        })}
      </Section>
      <Capacity billing={billing} server={server} />
    </>
  );
}
