import { listAlertVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { Link } from '@tanstack/react-router';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { VerdictTable } from '../../shell/parts/verdict-table.tsx';
import { Dialog } from '../../ui/layers/dialog.tsx';

/** Why each alert rule sent something about an incident, or did not. */
export function VerdictsDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { incident_id: id, project_id: pid } = incident;
  return (
    <Dialog title="Alerts about this incident" isOpen onClose={onClose} width="wide">
      <VerdictTable
        endpoint={listAlertVerdicts}
        id={id}
        pid={pid}
        empty={
          <p>
            No alert rules yet.{' '}
            <Link className={link.link} to={pathTo('newAlert', { pid })}>
              Create an alert rule
            </Link>
          </p>
        }
      />
    </Dialog>
  );
}
