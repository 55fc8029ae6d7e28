import {
  type ImprovementSensitivity,
  updateImprovementSettings,
} from '@culprit/contract/incidents/improvements';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Switch } from '../ui/fields/switch.tsx';
import { Section } from '../ui/section.tsx';
import styles from './improvement-settings-part.module.css';
import { SENSITIVITY_WORDS } from './improvement-words.ts';
import { improvementSettingsQuery } from './improvements-queries.ts';

const LEVELS: readonly ImprovementSensitivity[] = ['high_confidence', 'balanced', 'verbose'];

interface SettingsChange {
  automated_improvement_bundles_enabled?: boolean;
  improvement_bundle_sensitivity?: ImprovementSensitivity;
}

/** Shows the settings: the search for improvements, and the evidence that is required. */
export function ImprovementSettingsPart({ project }: { project: Project }) {
  const pid = project.project_id;
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(improvementSettingsQuery(pid));
  const [chosen, setChosen] = useState<SettingsChange>({});
  const change = useMutation({
    mutationFn: async (body: SettingsChange) =>
      await call(updateImprovementSettings, { params: { id: pid }, body }),
    onSuccess: (saved) => {
      queryClient.setQueryData(improvementSettingsQuery(pid).queryKey, saved);
      showToast('Saved');
    },
    onError: (problem) => showToast(problemText(problem), { lastsMs: null }),
    onSettled: () => setChosen({}),
  });
  const choose = (body: SettingsChange) => {
    setChosen(body);
    change.mutate(body);
  };
  const refusal =
    refusalFor('admin', project) ??
    (data?.cloud_automation_available === false ? 'The plan does not include insights' : null);
  // The choice is shown immediately, and undone when the request fails.
  const shown = data && { ...data.settings, ...chosen };
  return (
    <Section id="settings" title="Settings">
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={2} />}
      {shown !== undefined && (
        <div className={styles.settings}>
          <Switch
            label="Find insights"
            hasWords
            isOn={shown.automated_improvement_bundles_enabled}
            refusal={refusal}
            onChange={(isOn) => choose({ automated_improvement_bundles_enabled: isOn })}
          />
          <fieldset className={styles.levels}>
            <legend>Notifications</legend>
            {LEVELS.map((level) => (
              <label key={level} className={styles.level}>
                <input
                  type="radio"
                  name="sensitivity"
                  checked={shown.improvement_bundle_sensitivity === level}
                  disabled={refusal !== null}
                  onChange={() => choose({ improvement_bundle_sensitivity: level })}
                />
                <span>
                  <b>{SENSITIVITY_WORDS[level].name}</b>
                  <span className={styles.means}>{SENSITIVITY_WORDS[level].means}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {refusal !== null && <p className={styles.means}>{refusal}</p>}
        </div>
      )}
    </Section>
  );
}
