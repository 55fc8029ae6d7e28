import type { Project } from '@culprit/contract/workspace/projects';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { servicesQuery } from '../api/projects.ts';
import { deploymentsQuery, serviceActivityQuery } from '../api/services.ts';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Notice } from '../ui/notice.tsx';
import { Deployments } from './deployments.tsx';
import { ServicesTable } from './services-table.tsx';

/** The screen of services: their failures, and their deployed versions. */
export function ServicesPage() {
  return (
    <ProjectScreen
      title="Services"
      intro="Every service that has sent events, by environment. Each row links to its incidents."
    >
      {(project) => <Services project={project} />}
    </ProjectScreen>
  );
}

function Services({ project: { project_id: pid } }: { project: Project }) {
  const services = useQuery(servicesQuery(pid));
  const activity = useQuery(serviceActivityQuery(pid));
  const deployments = useInfiniteQuery(deploymentsQuery(pid));
  const rows = services.data;
  if (rows === undefined) return <LoadingPart error={services.error} retry={services.refetch} rows={5} />;
  if (rows.length === 0) {
    return (
      <Notice
        title="No services yet."
        action={
          <Link className={link.link} to={pathTo('setup', { pid })}>
            Send an event
          </Link>
        }
      />
    );
  }
  const deployed = (deployments.data?.pages ?? []).flatMap((page) => page.deployments);
  return (
    <Sections>
      <ServicesTable pid={pid} services={rows} activity={activity.data} deployments={deployed} />
      <Deployments pid={pid} query={deployments} rows={deployed} />
    </Sections>
  );
}
