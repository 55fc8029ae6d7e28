import {
  type CaptureRuleSuggestion,
  createSuggestedCaptureRule,
  suggestCaptureRules,
} from '@culprit/contract/capture/capture-rules';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { projectQuery } from '../../api/projects.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { pathTo } from '../../paths.ts';
import { ActionError } from '../../shell/parts/action-error.tsx';
import link from '../../shell/parts/link.module.css';
import { PartError } from '../../shell/parts/part-error.tsx';
import { refusalFor } from '../../shell/parts/roles.ts';
import { showToast } from '../../shell/parts/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/layers/dialog.tsx';
import { SkeletonRows } from '../../ui/lists/skeleton.tsx';
import styles from './rule-dialog.module.css';

/** Filters that would discard events like these, or keep them without an incident. */
export function RuleDialog({
  incident,
  isOpen,
  onClose,
}: {
  incident: Incident;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title="Filter events like these" isOpen={isOpen} onClose={onClose} width="wide">
      <Suggestions incident={incident} />
    </Dialog>
  );
}

function Suggestions({ incident }: { incident: Incident }) {
  const id = incident.incident_id;
  const { data: project } = useQuery(projectQuery(incident.project_id));
  const { data, error, refetch } = useQuery({
    queryKey: [suggestCaptureRules.id, id],
    queryFn: async ({ signal }) => await call(suggestCaptureRules, { params: { id }, signal }),
    staleTime: 0,
  });
  if (error !== null) return <PartError error={error} retry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={3} />;
  if (data.suggestions.length === 0) {
    return (
      <p>
        {data.bundle_status === 'pending'
          ? 'The evidence is still being collected. Try again in a few seconds.'
          : 'No filter matches this incident without hiding others.'}
      </p>
    );
  }
  return (
    <ul className={styles.list}>
      {data.suggestions.map((suggestion) => (
        <SuggestionLine
          key={suggestion.suggestion_id}
          incidentId={id}
          projectId={incident.project_id}
          suggestion={suggestion}
          refusal={refusalFor('admin', project)}
        />
      ))}
    </ul>
  );
}

function SuggestionLine({
  incidentId,
  projectId,
  suggestion,
  refusal,
}: {
  incidentId: string;
  projectId: string;
  suggestion: CaptureRuleSuggestion;
  refusal: string | null;
}) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { label, reason, confidence, requires_confirmation: mustAsk, created_rule_id: made } = suggestion;
  const create = useMutation({
    mutationFn: async () => {
      const body = { suggestion_id: suggestion.suggestion_id };
      return await call(createSuggestedCaptureRule, { params: { id: incidentId }, body });
    },
    onSuccess: async () => {
      showToast(`Filter created: ${label}`);
      await queryClient.invalidateQueries({ queryKey: [suggestCaptureRules.id, incidentId] });
    },
  });
  return (
    <li className={styles.suggestion}>
      <div className={styles.words}>
        <h3 translate="no">{visibleLine(label)}</h3>
        <p>{visibleLine(reason)}</p>
        {confidence === 'low' && <p className={styles.soft}>Weak match</p>}
        <ActionError error={create.error} />
        {isAsking && <p role="alert">This filter would hide new failures of this kind. Create it anyway?</p>}
      </div>
      {made === null ? (
        <Button
          kind={isAsking ? 'danger' : 'plain'}
          refusal={refusal}
          isBusy={create.isPending}
          onClick={() => (mustAsk && !isAsking ? setAsking(true) : create.mutate())}
        >
          Create filter
        </Button>
      ) : (
        <Link className={link.link} to={pathTo('captureRule', { pid: projectId, ruleId: made })}>
          {suggestion.created_rule_enabled === false ? 'Created, disabled' : 'Created: open the filter'}
        </Link>
      )}
    </li>
  );
}
