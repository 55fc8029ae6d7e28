import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { readStoredBatches } from '../../../server/test/support/stored-events.ts';

/** A project of a running service, for what only the real thing can prove. */
interface SharedProject {
  url: string;
  token: string;
  /** How many events of the project are stored. */
  countEvents(): Promise<number>;
}

/** Creates a project in the service that this worker shares. */
export async function sharedProject(): Promise<SharedProject> {
  const culprit = await shareCulprit();
  const project = await culprit.createProject();
  return {
    url: culprit.url,
    token: project.projectToken,
    async countEvents() {
      const batches = await readStoredBatches(culprit, project.projectId);
      return batches.reduce((sum, { eventCount }) => sum + eventCount, 0);
    },
  };
}
